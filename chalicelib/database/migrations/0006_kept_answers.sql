-- Of an answer under an idempotency key, keep what it was about and not its text: what it may show is decided
-- anew when it is repeated, and a signed URL in it is never at rest.

alter table idempotency_keys drop column body, add column about uuid;
