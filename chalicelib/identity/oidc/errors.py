"""What goes wrong with issuers and their tokens."""

from typing import ClassVar

from chalicelib.errors import Conflict, Forbidden, NotFound, Rejected


class TokenRefused(Forbidden):
    """The token stands for nobody here.

    Its detail is for logs and for admins who test a token; whoever sent the token is not told why.
    """

    status: ClassVar[int] = 401


class UnknownKey(TokenRefused):
    """The token names a key that the issuer is not known to have."""


class IdentityProviderNotFound(NotFound):
    """There is no such identity provider for you."""


class IssuerTaken(Conflict):
    """Another identity provider of this deployment has this issuer."""


class InvalidIdentityProvider(Rejected):
    """The identity provider cannot be as it is described."""

    status: ClassVar[int] = 422


class IssuerRefused(Rejected):
    """What the issuer says of itself cannot be used."""

    status: ClassVar[int] = 422
