"""Tells which user of an organization a verified token stands for, and remembers it the first time."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import store
from chalicelib.identity.errors import EmailTaken
from chalicelib.identity.model import OrganizationRole, Principal, PrincipalId, PrincipalKind
from chalicelib.identity.oidc import user_identity_store
from chalicelib.identity.oidc.claims import subject_of
from chalicelib.identity.oidc.errors import TokenRefused
from chalicelib.identity.oidc.model import IdentityProvider, KnownBy, KnownUser, Terms
from chalicelib.identity.oidc.user_identity_store import UserOfSubject

_LAST_USE_PRECISION = timedelta(minutes=1)
# ASCII alone: lower-casing makes an "i" of some letters that only look like one, and with it another's address.
_VOUCHABLE = re.compile(r"[!-?A-~]{1,64}@[A-Za-z0-9.-]{1,190}")
_MOST_EMAIL_CHARACTERS = 254


def find_user(tx: Transaction, *, provider: IdentityProvider, claims: Mapping[str, Any], now: datetime) -> Principal:
    """Return the user, made or found by address where the provider's terms allow it. Raises TokenRefused.

    `claims` are those of a token that was verified. What the user may do is what its roles and the provider's scopes
    both allow.
    """
    subject = subject_of(claims)
    found = user_identity_store.find_user(tx, provider, subject)
    if found is None:
        user_identity_store.lock_subject(tx, provider, subject)
        found = user_identity_store.find_user(tx, provider, subject) or _become_known(tx, provider, claims, now)
    if found.is_disabled:
        raise TokenRefused("The user is disabled.")
    if found.last_used_at is None or now - found.last_used_at > _LAST_USE_PRECISION:
        user_identity_store.touch_user_identity(tx, provider, subject, now=now)
    return replace(found.principal, scopes=provider.terms.scopes)


def foresee_user(tx: Transaction, *, provider: IdentityProvider, claims: Mapping[str, Any]) -> KnownUser:
    """Return whom `find_user` would return, and change nothing. Raises TokenRefused."""
    found = user_identity_store.find_user(tx, provider, subject_of(claims))
    if found is None:
        return _newcomer(tx, provider, claims)
    if found.is_disabled:
        raise TokenRefused("The user is disabled.")
    return KnownUser(found.principal.id, None)


def verified_email(claims: Mapping[str, Any], terms: Terms) -> str | None:
    """Return the address that the issuer vouches for; Cognito writes the truth of it as a text at times."""
    email = _email(claims, terms)
    told = claims.get(terms.email_verified_claim)
    is_verified = told is True or told == "true"
    return email if email and is_verified and _VOUCHABLE.fullmatch(email) else None


def _become_known(
    tx: Transaction, provider: IdentityProvider, claims: Mapping[str, Any], now: datetime
) -> UserOfSubject:
    newcomer = _newcomer(tx, provider, claims)
    subject = subject_of(claims)
    principal_id = newcomer.principal_id or _admit(tx, provider, claims)
    known_by = newcomer.known_by or KnownBy.ADMISSION
    user_identity_store.insert_user_identity(
        tx, provider, subject, principal_id=principal_id, known_by=known_by, now=now
    )
    found = user_identity_store.find_user(tx, provider, subject)
    if found is None:
        raise TokenRefused("The user with this address is known by another subject of this issuer.")
    is_new = known_by is KnownBy.ADMISSION
    record(
        tx,
        principal=found.principal,
        workspace_id=None,
        action=ActivityAction.MEMBER_CREATED if is_new else ActivityAction.IDENTITY_KNOWN,
        subject_kind=SubjectKind.MEMBER,
        subject_id=found.principal.id,
        after={"provider_id": provider.id, "known_by": known_by},
    )
    return found


def _newcomer(tx: Transaction, provider: IdentityProvider, claims: Mapping[str, Any]) -> KnownUser:
    """Return as whom a subject would be taken that was never here. Raises TokenRefused."""
    terms = provider.terms
    email, verified = _email(claims, terms), verified_email(claims, terms)
    holder = user_identity_store.find_user_by_email(tx, provider, email) if email else None
    if holder is None:
        _refuse_stranger(terms, verified)
        return KnownUser(None, KnownBy.ADMISSION)
    if not terms.links_by_email:
        raise TokenRefused("The address is a user's already, and this provider does not tell users by address.")
    if verified is None:
        raise TokenRefused("The address is a user's already, and the issuer does not vouch for it.")
    if holder.is_disabled:
        raise TokenRefused("The user is disabled.")
    if holder.is_known:
        raise TokenRefused("The user with this address is known by another subject of this issuer.")
    return KnownUser(holder.id, KnownBy.EMAIL)


def _refuse_stranger(terms: Terms, verified: str | None) -> None:
    if not terms.admits:
        raise TokenRefused("The subject is no user, and this provider admits nobody new.")
    if terms.email_domains is not None and (
        verified is None or verified.rpartition("@")[2].lower() not in terms.email_domains
    ):
        raise TokenRefused("This provider admits nobody new without a verified address in one of its domains.")


def _admit(tx: Transaction, provider: IdentityProvider, claims: Mapping[str, Any]) -> PrincipalId:
    principal_id = PrincipalId(new_id())
    try:
        with tx.savepoint():
            store.insert_principal(
                tx,
                principal_id=principal_id,
                organization_id=provider.organization_id,
                kind=PrincipalKind.USER,
                name=_name(claims, provider.terms),
                email=verified_email(claims, provider.terms),
                organization_role=OrganizationRole.MEMBER,
            )
    except EmailTaken as error:
        raise TokenRefused("The address has become another user's this very moment.") from error
    return principal_id


def _email(claims: Mapping[str, Any], terms: Terms) -> str | None:
    email = claims.get(terms.email_claim)
    is_text = isinstance(email, str) and 0 < len(email) <= _MOST_EMAIL_CHARACTERS and email.isprintable()
    return email if is_text else None


def _name(claims: Mapping[str, Any], terms: Terms) -> str:
    """Return what to call a new user, as an admin will see it: a text of the issuer's, without what disturbs a line."""
    for claim in (terms.name_claim, "preferred_username", terms.email_claim):
        value = claims.get(claim)
        if isinstance(value, str):
            shown = "".join(letter for letter in value if unicodedata.category(letter)[0] != "C")
            name = unicodedata.normalize("NFC", shown).strip()[:200].strip()
            if name:
                return name
    return "A user without a name"
