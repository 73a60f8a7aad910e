"""The activity: who did what to which thing, when. Recording it lies beneath identity, reading it above access."""
