"""Finds the address of a host on the internet, and none that lies on this side of it.

Whoever names a host to be asked must not thereby reach what only we reach: the machine itself, its network, or the
metadata of a cloud (OWASP, Server-Side Request Forgery Prevention). The address that passes is the one to connect to:
to ask for the name again could give another.
"""

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.platform.errors import IssuerDocumentRefused, IssuerUnavailable

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# What is written in an address of IPv6 may be one of IPv4 that a translator goes on to (RFC 6052, section 2.1).
_TRANSLATED = tuple(ipaddress.IPv6Network(each) for each in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96"))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to connect to, in the form that `socket.connect` takes for the family."""

    family: socket.AddressFamily
    address: tuple[str, int]
    is_loopback: bool


def find_endpoint(host: str, port: int, *, takes_loopback: bool) -> Endpoint:
    """Return where a host is to be reached. All its addresses must pass, so that chance decides nothing.

    Raises IssuerDocumentRefused where one may not be asked, IssuerUnavailable where the name is not known.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise IssuerUnavailable(f"The name {host} is not known.", host=host) from error
    endpoints = [_endpoint(family, address) for family, _, _, _, address in found]
    if not endpoints or not all(_may_be_asked(endpoint, takes_loopback=takes_loopback) for endpoint in endpoints):
        raise IssuerDocumentRefused(f"The host {host} is not on the public internet.", host=host)
    return _preferred(endpoints)


def is_public(text: str) -> bool:
    """Tell whether an address is one of the public internet, also where it is wrapped in one of another family."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return all(each.is_global and not each.is_multicast for each in _unwrapped(address))


def _endpoint(family: socket.AddressFamily, address: Sequence[object]) -> Endpoint:
    text = str(address[0])
    return Endpoint(family, (text, int(str(address[1]))), _is_loopback(text))


def _is_loopback(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).is_loopback
    except ValueError:
        return False


def _may_be_asked(endpoint: Endpoint, *, takes_loopback: bool) -> bool:
    return is_public(endpoint.address[0]) or (takes_loopback and endpoint.is_loopback)


def _unwrapped(address: _Address) -> list[_Address]:
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in _TRANSLATED):
        inner.append(ipaddress.IPv4Address(address.packed[-4:]))
    wrapped: list[_Address] = [each for each in inner if each is not None]
    # An address that is nothing but another one is as public as that; of the others the outer one counts as well.
    return wrapped if address.ipv4_mapped else [address, *wrapped]


def _preferred(endpoints: Sequence[Endpoint]) -> Endpoint:
    """Return one of IPv4 where there is one: not every network that has IPv6 leads out by it, AWS Lambda's neither."""
    return next((each for each in endpoints if each.family == socket.AF_INET), endpoints[0])
