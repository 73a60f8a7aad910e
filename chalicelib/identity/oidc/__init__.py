"""Users by OpenID Connect: issuers that an organization trusts, their keys, their tokens and whom these stand for."""
