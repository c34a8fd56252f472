"""Tables without a computer, which a phone films and a worker sees for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "phone_tables",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("game", sa.String(60), nullable=False),
        sa.Column("players", sa.String(400), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("made_s", sa.Double, nullable=False),
        sa.Column("closed_s", sa.Double),
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_table("phone_tables")
