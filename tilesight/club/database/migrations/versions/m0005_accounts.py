"""Accounts of hosts and referees, and what was done from the hub."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""Type of a number that the database gives out."""


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("folded", sa.String(120), nullable=False, unique=True),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("password", sa.String(300), nullable=False),
        sa.Column("session", sa.BigInteger, nullable=False),
        sa.Column("made_s", sa.Double, nullable=False),
    )
    op.create_table(
        "acts",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        sa.Column("at_s", sa.Double, nullable=False),
        sa.Column("account", sa.String(60)),
        sa.Column("table", sa.String(64), nullable=False),
        sa.Column("path", sa.String(200), nullable=False),
    )


def downgrade() -> None:
    """Remove them."""
    op.drop_table("acts")
    op.drop_table("accounts")
