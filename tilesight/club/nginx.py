"""Configuration of nginx with Nchan in front of a hub: spectators' events, and the hub's pages.

Clients may only read. Events are published on a separate port that only the hub can reach.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template

DESCRIPTORS = 20_000
"""Files and connections of one of nginx's processes."""
CONNECTIONS = 19_000
"""Connections of one of nginx's processes; the rest are files and its own channels."""
EVENT_BYTES = 64 * 1024
"""Bound of an event."""
CHANGES = 32
"""Changes of all tables that are kept: those of a few seconds."""
KEPT = 4
"""Events of a table that are kept for those who come later; the last tells all."""


@dataclass(frozen=True, slots=True)
class NginxSettings:
    """Addresses and limits; ``folder`` holds the process id, the log and temporary files."""

    folder: Path = Path("/run/tilesight-nginx")
    port: int = 8781
    publish: str = "127.0.0.1:8782"
    """Address at which the hub publishes: this computer's own, or one that the hub reaches."""
    hub: str = "127.0.0.1:8780"
    publisher: str = "127.0.0.1"
    """Address of the hub as nginx sees it, the only one that may publish; `all` in a network of its own."""
    module: str = "/usr/lib/nginx/modules/ngx_nchan_module.so"
    """Debian's libnginx-mod-nchan."""
    user: str = "www-data"
    """Owner of its processes, where it is started by root."""
    processes: str = "auto"
    each_address: int = 2000
    """Spectators behind one address: a hall shares one."""
    shared_mb: int = 128
    """Memory for the events that are kept; all processes share it."""


IN_CONTAINERS = NginxSettings(publish="8782", publisher="all", hub="hub:8780")
"""Settings of the club's containers: only their own network reaches the port for publishing."""

_TEMPLATE = Template("""\
# nginx with Nchan before a hub of Tilesight; written by tilesight.club.nginx. `nginx -c FILE`
load_module $module;
user $user;
pid $folder/nginx.pid;
error_log $folder/error.log warn;
worker_processes $processes;
worker_rlimit_nofile $descriptors;

events {
  worker_connections $connections;
  multi_accept on;
}

http {
  access_log off;
  server_tokens off;
  client_body_temp_path $folder/body;
  proxy_temp_path $folder/proxy;
  fastcgi_temp_path $folder/fastcgi;
  uwsgi_temp_path $folder/uwsgi;
  scgi_temp_path $folder/scgi;
  proxy_cache_path $folder/cache keys_zone=tables:1m max_size=64m;
  nchan_shared_memory_size ${shared_mb}M;
  # A client that sends slowly, or takes nothing, is not waited for.
  client_header_timeout 10s;
  client_body_timeout 10s;
  send_timeout 20s;
  reset_timedout_connection on;
  large_client_header_buffers 4 8k;
  # By address. A hall shares one: so many spectators, and so many who come back at the same moment.
  limit_conn_zone $$binary_remote_addr zone=spectators:10m;
  limit_req_zone $$binary_remote_addr zone=arrivals:10m rate=100r/s;
  limit_req_zone $$binary_remote_addr zone=pages:10m rate=50r/s;
  limit_conn_status 429;
  limit_req_status 429;

  server {
    listen $port backlog=8192;

    location ~ "^/sub/([A-Za-z0-9_-]{1,64})$$" {
      limit_except GET { deny all; }
      limit_conn spectators $each_address;
      limit_req zone=arrivals burst=$each_address nodelay;
      client_max_body_size 1;
      nchan_subscriber eventsource;
      nchan_channel_id $$1;
      # How the table stood last, then what happens; one who comes back goes on after its last event.
      # (Not -1, the last one alone: several who wait for a first event then end Nchan 1.3.6's process.)
      nchan_subscriber_first_message oldest;
      nchan_eventsource_ping_interval 15;
      add_header Cache-Control no-store;
    }

    # The hub's own events, told once to nginx: a page asks the same address with and without nginx.
    location = /api/events {
      limit_except GET { deny all; }
      limit_conn spectators $each_address;
      limit_req zone=arrivals burst=$each_address nodelay;
      client_max_body_size 1;
      nchan_subscriber eventsource;
      nchan_channel_id tables;
      nchan_subscriber_first_message oldest;
      nchan_eventsource_ping_interval 15;
      add_header Cache-Control no-store;
    }

    # How all tables are now: asked for by everybody who comes, of the hub once a second.
    location = /api/tables {
      limit_req zone=arrivals burst=$each_address nodelay;
      proxy_pass http://$hub;
      proxy_set_header Host $$host;
      proxy_set_header X-Forwarded-For $$remote_addr;
      proxy_set_header X-Forwarded-Proto $$scheme;
      proxy_cache tables;
      proxy_cache_valid 200 1s;
      proxy_cache_lock on;
      proxy_ignore_headers Cache-Control;
    }

    location = /nginx/healthz {
      return 200 "ok\\n";
    }

    location /pub {
      return 404;
    }

    location / {
      limit_req zone=pages burst=500 nodelay;
      client_max_body_size 1m;
      proxy_pass http://$hub;
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_read_timeout 60s;
      proxy_set_header Host $$host;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $$remote_addr;
      proxy_set_header X-Forwarded-Proto $$scheme;
    }
  }

  server {
    listen $publish;
    allow $publisher;
    deny all;
    client_max_body_size $event_bytes;
    client_body_buffer_size $event_bytes;

    location = /pub/tables {
      nchan_publisher http;
      nchan_channel_id tables;
      # One who asked how all tables are, and comes to hear of changes a moment later, has missed none.
      nchan_message_buffer_length $changes;
      nchan_message_timeout 6h;
    }

    location ~ "^/pub/([A-Za-z0-9_-]{1,64})$$" {
      nchan_publisher http;
      nchan_channel_id $$1;
      nchan_message_buffer_length $kept;
      nchan_message_timeout 6h;
    }

    location = /status {
      nchan_stub_status;
    }
  }
}
""")


def configuration(settings: NginxSettings) -> str:
    """Return the complete configuration of a dedicated nginx."""
    return _TEMPLATE.substitute(
        asdict(settings),
        descriptors=DESCRIPTORS,
        connections=CONNECTIONS,
        event_bytes=EVENT_BYTES,
        kept=KEPT,
        changes=CHANGES,
    )
