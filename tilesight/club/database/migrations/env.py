"""Migrations' surroundings: alembic runs this, with the connection that `open_database` gives."""

from __future__ import annotations

from alembic import context

from tilesight.club.database.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
