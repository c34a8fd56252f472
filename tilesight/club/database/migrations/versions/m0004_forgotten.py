"""Games that were removed, and how far the stream was taken in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.add_column("games", sa.Column("heard_s", sa.Double))
    op.create_table(
        "forgotten",
        sa.Column("table_id", sa.String(64), primary_key=True),
        sa.Column("log_id", sa.String(64), primary_key=True),
        sa.Column("at_s", sa.Double, nullable=False),
        sa.Column("in_stream", sa.Boolean, nullable=False),
    )
    op.create_table(
        "stream_places",
        sa.Column("stream", sa.String(40), primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Remove them."""
    op.drop_table("stream_places")
    op.drop_table("forgotten")
    with op.batch_alter_table("games") as games:
        games.drop_column("heard_s")
