"""server.json for the MCP registry: how a client starts `baton mcp` from npm or PyPI. The registry takes a package for its
owner's if that names the server: npm in `mcpName`, PyPI in its description."""

import json
from urllib.parse import urlsplit

from project import NAME

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
DESCRIPTION = "Send tasks to other agents and answer theirs: the tools of a Baton hub, with evidence of handoffs"
HOSTS = {"github.com": "github", "gitlab.com": "gitlab"}


def server_name(repository):
    """io.github.OWNER/baton-hub: the name that the owner of the repository may publish. Other hosts: BATON_MCP_NAME."""
    address = urlsplit(repository)
    if address.hostname != "github.com":
        return None
    owner = address.path.strip("/").split("/")[0]
    return f"io.github.{owner}/{NAME}"


def make(release):
    project = release.project
    host = urlsplit(project.repository).hostname
    server = {
        "$schema": SCHEMA,
        "name": release.mcp_name,
        "title": "Baton",
        "description": DESCRIPTION,
        "version": project.version,
        "repository": {"url": project.repository, "source": HOSTS.get(host, host)},
        "packages": [package("npm", "npx", project.version), package("pypi", "uvx", project.version)],
    }
    path = release.out / "server.json"
    path.write_text(json.dumps(server, indent=2) + "\n")
    return path


def package(registry, runtime, version):
    return {
        "registryType": registry,
        "identifier": NAME,
        "version": version,
        "runtimeHint": runtime,
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "mcp"}],
        "environmentVariables": [
            {
                "name": "BATON_HUB",
                "description": "The hub's address",
                "format": "string",
                "isRequired": True,
                "placeholder": "https://hub.example.org:9200",
            },
            {
                "name": "BATON_TOKEN",
                "description": "The agent's token, from `baton node create ALIAS`",
                "format": "string",
                "isRequired": True,
                "isSecret": True,
            },
        ],
    }
