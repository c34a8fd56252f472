"""Self-signed certificate of this computer, for pages over HTTPS.

Browsers give access to a camera only to pages over an encrypted connection. No authority signs certificates
for addresses in a home network, so a browser shows a warning at the first visit. The certificate is kept, so
that the browser warns only once.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tilesight.home import write_privately
from vision.image.whole_file import write_whole

GOOD_FOR = dt.timedelta(days=390)
"""Lifetime of a certificate. Browsers refuse much more than a year."""
RENEWED_BEFORE_END = dt.timedelta(days=14)
"""Remaining lifetime below which a certificate is replaced."""
LASTING = dt.timedelta(days=50 * 365)
"""Lifetime of a certificate that clients identify by its fingerprint."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """PEM files of a certificate and of its key, and its SHA-256 fingerprint as browsers show it."""

    cert_path: Path
    key_path: Path
    fingerprint: str

    def server_context(self, named: Mapping[str, Certificate] | None = None) -> ssl.SSLContext:
        """Return the TLS settings of a server with this certificate.

        ``named`` are further certificates by server name (SNI). A client that asks for one of these names
        gets its certificate.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.cert_path, self.key_path)
        others = {name: one.server_context() for name, one in (named or {}).items()}

        def choose(connection: ssl.SSLObject | ssl.SSLSocket, name: str | None, _: ssl.SSLContext) -> None:
            """Give a connection the certificate for the name that its client asked for."""
            if name in others:
                connection.context = others[name]

        if others:
            context.sni_callback = choose
        return context


def certificate_for(host: str, folder: Path, *, lasting: bool = False) -> Certificate:
    """Return the certificate in ``folder`` for an address or name; create one if none is valid for it.

    A ``lasting`` certificate is never replaced, because clients that pinned its fingerprint would reject
    another one. Raises OSError if the folder cannot be written.
    """
    cert_path, key_path = folder / "tilesight-cert.pem", folder / "tilesight-key.pem"
    known = _read(cert_path) if key_path.is_file() else None
    if known is None or not (lasting or _good_for(known, host)):
        known = _make(host, cert_path, key_path, LASTING if lasting else GOOD_FOR)
    return Certificate(cert_path, key_path, known.fingerprint(hashes.SHA256()).hex(":").upper())


def _read(path: Path) -> x509.Certificate | None:
    """Return the certificate in a file, None if there is none or it is invalid."""
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError):
        return None


def _good_for(certificate: x509.Certificate, host: str) -> bool:
    """Whether a certificate is valid for a host, now and for at least `RENEWED_BEFORE_END`."""
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    ends_in = certificate.not_valid_after_utc - dt.datetime.now(dt.UTC)
    return _name(host) in names and ends_in > RENEWED_BEFORE_END


def _name(host: str) -> x509.GeneralName:
    """Return a host as a certificate's subject alternative name."""
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _make(host: str, cert_path: Path, key_path: Path, good_for: dt.timedelta) -> x509.Certificate:
    """Create a key and a self-signed certificate, and write both."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tilesight at this table")])
    now = dt.datetime.now(dt.UTC)
    names = dict.fromkeys([_name(host), x509.DNSName("localhost"), _name("127.0.0.1")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))  # a phone's clock may be behind
        .not_valid_after(now + good_for)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    cert_path.parent.mkdir(parents=True, exist_ok=True)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    write_privately(key_path, private.decode("ascii"))
    write_whole(cert_path, certificate.public_bytes(serialization.Encoding.PEM))
    return certificate
