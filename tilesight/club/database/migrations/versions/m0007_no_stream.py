"""Removal of the tables that only the stream of NATS needed: its place, and messages that were put aside."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""Type of a number that the database gives out."""


def upgrade() -> None:
    """Remove them."""
    op.drop_table("quarantine")
    op.drop_table("stream_places")
    with op.batch_alter_table("forgotten") as forgotten:
        forgotten.alter_column("in_stream", new_column_name="is_shown")


def downgrade() -> None:
    """Make them again, empty."""
    with op.batch_alter_table("forgotten") as forgotten:
        forgotten.alter_column("is_shown", new_column_name="in_stream")
    op.create_table(
        "stream_places",
        sa.Column("stream", sa.String(40), primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "quarantine",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False, unique=True),
        sa.Column("came_s", sa.Double, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
