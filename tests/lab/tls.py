"""Throw-away certificate authorities and peer certificates, made with openssl."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

VALID_DAYS = "30"


@dataclass(frozen=True, slots=True)
class Certificates:
    """What one member needs for TLS between peers."""

    trusted_ca: Path
    certificate: Path
    key: Path

    def peer_flags(self) -> list[str]:
        """The etcd flags that make peers present and demand certificates."""
        return [
            *("--peer-trusted-ca-file", str(self.trusted_ca), "--peer-client-cert-auth"),
            *("--peer-cert-file", str(self.certificate), "--peer-key-file", str(self.key)),
        ]


def make_authority(directory: Path, name: str) -> Path:
    """Create a self-signed authority ``<name>.crt`` / ``<name>.key``; returns the certificate."""
    directory.mkdir(parents=True, exist_ok=True)
    certificate, key = directory / f"{name}.crt", directory / f"{name}.key"
    _openssl(
        *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", VALID_DAYS, "-subj", f"/CN={name}"),
        *("-keyout", str(key), "-out", str(certificate)),
    )
    return certificate


def make_peer(directory: Path, name: str, authority: Path, trusted_ca: Path) -> Certificates:
    """Issue a peer certificate for 127.0.0.1 by the authority; the member itself trusts ``trusted_ca``."""
    certificate, key, request = (directory / f"{name}{suffix}" for suffix in (".crt", ".key", ".csr"))
    extensions = directory / f"{name}.ext"
    extensions.write_text("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n", encoding="ascii")
    _openssl(
        *("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}"),
        *("-keyout", str(key), "-out", str(request)),
    )
    _openssl(
        *(
            "x509",
            "-req",
            "-in",
            str(request),
            "-CA",
            str(authority),
            "-CAkey",
            str(authority.with_suffix(".key")),
        ),
        *("-CAcreateserial", "-days", VALID_DAYS, "-extfile", str(extensions), "-out", str(certificate)),
    )
    return Certificates(trusted_ca, certificate, key)


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
