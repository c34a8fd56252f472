"""Logs of tables: tables, their games, entries, and what was refused."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""Type of a number that the database gives out."""


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "tables",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("joined_s", sa.Double, nullable=False),
    )
    op.create_table(
        "games",
        sa.Column("id", KEY, primary_key=True, autoincrement=True),
        sa.Column("table_id", sa.String(64), sa.ForeignKey("tables.id"), nullable=False, index=True),
        sa.Column("log_id", sa.String(64), nullable=False),
        sa.Column("began_s", sa.Double, nullable=False),
        sa.Column("changed_s", sa.Double, nullable=False),
        sa.Column("entries", sa.Integer, nullable=False),
        sa.Column("folded", sa.Integer, nullable=False),
        sa.Column("fault", sa.Text),
        sa.Column("game", sa.String(60)),
        sa.Column("pack", sa.String(60)),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("over", sa.Boolean, nullable=False),
        sa.Column("scores", sa.JSON),
        sa.Column("names", sa.JSON),
        sa.Column("state", sa.JSON),
        sa.UniqueConstraint("table_id", "log_id"),
    )
    op.create_table(
        "entries",
        sa.Column("game_id", KEY, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("at_s", sa.Double, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
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


def downgrade() -> None:
    """Remove them."""
    for name in ("quarantine", "entries", "games", "tables"):
        op.drop_table(name)
