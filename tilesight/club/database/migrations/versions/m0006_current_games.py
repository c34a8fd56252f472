"""The game in play at each table, and the sizes of games."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""Type of a number that the database gives out."""


def upgrade() -> None:
    """Make them."""
    op.add_column("tables", sa.Column("log_id", sa.String(64)))
    op.create_table(
        "game_sizes",
        sa.Column("game_id", KEY, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("full", sa.Boolean, nullable=False),
    )


def downgrade() -> None:
    """Remove them."""
    op.drop_table("game_sizes")
    with op.batch_alter_table("tables") as tables:
        tables.drop_column("log_id")
