# The words a user types; .ci/run types the same.

NEXTEST_VERSION := 0.9.143
MDBOOK_VERSION := 0.5.4
FUZZ_SECONDS ?= 60
SECONDS ?= 600
# For torture: sqlite, postgres (two hubs on one server) or patroni (two hubs on three servers).
STORE ?= sqlite
TORTURES_sqlite := test(=it::torture::nothing_acknowledged_is_lost_in_a_run_of_faults)
TORTURES_postgres := test(=it::torture::nothing_acknowledged_is_lost_by_two_hubs_on_postgresql)
TORTURES_patroni := test(/^it::torture::.*(patroni|asynchronous)/)
RACES ?= 2000
CARGO ?= cargo
PROOF := target/proof/release/baton-proof
FIGURES := target/proof/figures
# For dist and release: the shipped program's target, where releases are downloaded from, the CA certificates in the image.
TARGET ?= $(shell uname -m)-unknown-linux-musl
REPOSITORY ?=
CA_BUNDLE ?=
RELEASE_OPTIONS = $(if $(REPOSITORY),--repository $(REPOSITORY)) $(if $(CA_BUNDLE),--ca-bundle $(CA_BUNDLE))
PACK = binary=$$(CARGO="$(CARGO)" TARGET="$(TARGET)" scripts/dist.sh) && \
	CARGO="$(CARGO)" python3 scripts/release --binary "$$binary" --target "$(TARGET)" --out target/shipped $(RELEASE_OPTIONS)
# For install: what (the newest build), and where to.
BINARY ?= $(shell ls -t target/release/baton target/quick/baton 2>/dev/null | head -1)
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: help docs demo run run-cluster races patroni bench-postgres quick build test check spelling bench bench-page bench-peers bench-growth bench-streams bench-soak bench-fairness bench-hostile bench-start bench-pages bench-adapter driver proof peers bench-hub bench-evidence bench-work bench-a2a fuzz torture walk dist release release-check reproduce install uninstall size tools clients mcp-clients oidc-issuer browser schemathesis s3 screenshots sdk-python sdk-python-adapters postgres test-postgres18 clean

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# A profile that builds in a fraction of a release's time: somebody waits. What is measured or shipped is `make build` or `make dist`.
demo: quick ## a hub and three agents at work, in under 20 seconds once it is built
	@target/quick/baton demo

run: quick ## build the hub and start it on 127.0.0.1:9200
	@target/quick/baton hub start $(ARGS)

run-cluster: quick postgres ## three hubs on one PostgreSQL: a task crosses them, one hub is killed, work goes on
	@scripts/run-cluster.sh target/quick/baton

quick:
	@[ -e target/quick/baton ] || echo "Building Baton first: some 270 crates, which takes a few minutes on two cores. The next time it takes a second."
	@$(CARGO) build --locked --profile quick --package baton-hub

build: ## the release binary, target/release/baton
	$(CARGO) build --locked --release --package baton-hub

test: tools ## every test
	@CARGO="$(CARGO)" scripts/test.sh

test-postgres18: tools ## the store's contract on PostgreSQL 18
	@scripts/postgres.sh 18
	BATON_TEST_POSTGRES=18 $(CARGO) nextest run --locked --package baton-hub-store -E 'test(/postgres/)'

# mdBook takes some minutes to compile the first time; without its server and watcher, which pull in most of its dependencies.
docs: target/tools/mdbook-$(MDBOOK_VERSION)/bin/mdbook ## the documentation as a site with search, target/docs/site; fails on a dead link
	@scripts/docs.py $<

target/tools/mdbook-$(MDBOOK_VERSION)/bin/mdbook:
	$(CARGO) install mdbook --locked --version $(MDBOOK_VERSION) --no-default-features --features search --root target/tools/mdbook-$(MDBOOK_VERSION)

check: spelling ## formatting, spelling, lints as errors, documentation
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --document-private-items

spelling: ## the spelling of sources, help and documentation
	@scripts/spelling.sh

# Every part but the adapter's, about 35 minutes; a part that fails is named on the page, and the others still run.
bench: build proof clients ## everything beside its peers, in one run: writes docs/benchmarks.md
	@rm -f $(FIGURES)/*.json
	@for part in peers evidence a2a growth streams soak fairness hostile start postgres; do \
		echo "== $$part"; $(MAKE) --no-print-directory bench-$$part || echo "bench-$$part: not measured"; done
	@$(PROOF) page

bench-page: proof ## docs/benchmarks.md from what was measured last
	@$(PROOF) page

bench-peers: build proof ## whole lives beside NATS JetStream, pgmq and SQLite alone, in turns
	@$(PROOF) lives

bench-growth: build proof ## every operation with 10 000 and with 1 000 000 tasks stored
	@$(PROOF) growth

bench-streams: build proof ## push latency and memory with 1 000 and 5 000 open streams
	@$(PROOF) streams

bench-soak: build proof ## five minutes of mixed load: memory and files
	@$(PROOF) soak

bench-fairness: build driver ## what one tenant notices of another's attacks, operation by operation
	@$(PROOF) fairness

bench-hostile: build driver ## memory and another tenant's reads with 10 000 networks, the largest rows and slow readers
	@$(PROOF) hostile

bench-start: build proof ## from the call to ready, memory when idle, size
	@$(PROOF) start

bench-postgres: build proof patroni ## hubs on PostgreSQL beside pgmq, a hub on SQLite and three synchronous servers
	@$(PROOF) postgres

bench-pages: tools build browser ## first paint and longest pause of the dashboard with 10 000 tasks and 200 agents
	BATON_TEST_BINARY=$(CURDIR)/target/release/baton BATON_MEASURE_PAGES=1 \
		$(CARGO) nextest run --locked --package baton-hub --test it --no-capture -E 'test(/^it::browser::speed::/)'

bench-adapter: ## adapter, content hash and bundle, each beside its limit
	$(CARGO) bench --locked --package baton-hub-adapter
	@mkdir -p $(FIGURES)
	@python3 scripts/bench-ratios.py >$(FIGURES)/adapter.txt; held=$$?; cat $(FIGURES)/adapter.txt; exit $$held

# The program that drives the hub and its peers, a workspace of its own; without the peers, and with them.
driver:
	@cd proof && $(CARGO) build --release --locked

proof: peers driver

# The peers, pinned, under target/tools.
peers:
	@scripts/peers.sh

bench-hub: build driver ## durable sends, whole lives and push against the disk's own fdatasync rate
	@$(PROOF) hub

bench-evidence: build driver ## what evidence costs the hub: with and without, in turns
	@$(PROOF) evidence

bench-work: build driver ## from a send to the start of a worker's command
	@$(PROOF) work

bench-a2a: build driver clients ## blocking A2A sends: the hub beside the reference Python server
	@$(PROOF) a2a -- target/tools/a2a-python/bin/python tests/clients/python/reference_server.py

# cargo-fuzz has no --locked; the line before it fails if the lock file would have to change.
fuzz: ## each fuzz target for a minute; needs a nightly toolchain and cargo-fuzz
	cd fuzz && $(CARGO) metadata --locked --format-version 1 >/dev/null && for target in convert verify side_file; do \
		$(CARGO) +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) || exit 1; done

# The same run as in `make test`, for longer: SECONDS=600, SEED=N to repeat one.
torture: tools $(if $(filter patroni,$(STORE)),patroni) ## faults with a seed for ten minutes: kills, clock jumps, full disks, failovers (STORE=postgres, STORE=patroni); then everything acknowledged is accounted for
	$(if $(TORTURES_$(STORE)),,$(error STORE is sqlite, postgres or patroni, not $(STORE)))TORTURE_SECONDS=$(SECONDS) TORTURE_SEED=$(SEED) \
		$(CARGO) nextest run --locked --profile torture --package baton-hub --test it --no-capture --run-ignored all -E '$(TORTURES_$(STORE))'

races: tools postgres ## claims, replies, cancels and reassignments that race through two hubs, 2,000 times each (RACES=N)
	RACES=$(RACES) $(CARGO) nextest run --locked --profile torture --package baton-hub --test it --no-capture -E 'test(/^it::cluster::races::/)'

# The hub that is walked over is a release build: what it holds is what is measured.
walk: tools build ## ten minutes of hostile calls to every route and tool by every kind of caller (SECONDS, SEED)
	BATON_TEST_BINARY=$(CURDIR)/target/release/baton WALK_SECONDS=$(SECONDS) WALK_SEED=$(SEED) \
		$(CARGO) nextest run --locked --profile torture --package baton-hub --test it --no-capture -E 'test(/^it::hostile::walk::/)'

dist: ## the static binary that is shipped, and a tarball of it with what belongs to it, in target/shipped (TARGET)
	@$(PACK) --only tarball

# Offline: what it builds from has been fetched before (`cargo fetch --locked`), and the packages are made by scripts/release alone.
release: export CARGO_NET_OFFLINE := true
release: ## every package of this version, with checksums, in target/shipped (TARGET, REPOSITORY, CA_BUNDLE, BATON_RELEASE_KEY)
	@$(PACK)

release-check: ## makes the packages again, in other circumstances, and compares every byte with target/shipped
	@CARGO="$(CARGO)" TARGET="$(TARGET)" scripts/release-check.sh $(RELEASE_OPTIONS)

reproduce: ## builds the shipped binary again in another folder and compares every byte (TARGET)
	@CARGO="$(CARGO)" TARGET="$(TARGET)" scripts/reproduce.sh

install: ## BINARY with man pages, completions and systemd unit under PREFIX (/usr/local), in DESTDIR if set
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh install "$(BINARY)"

uninstall: ## take it away again; data and configuration stay
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh uninstall

size: ## size, time to start and memory of every build that is there
	@python3 scripts/size.py

# What the tests need beside a Rust toolchain: the runner, and Python for the independent checker.
tools:
	@$(CARGO) nextest --version >/dev/null 2>&1 || \
		$(CARGO) install cargo-nextest --locked --version $(NEXTEST_VERSION)
	@command -v python3 >/dev/null || { echo "the tests need python3 (on Debian: apt-get install python3)"; exit 1; }

# The official A2A clients the tests drive, pinned, in folders of their own under target/tools.
clients:
	@scripts/clients.sh

# The MCP clients the tests drive, and MCP's conformance suite, pinned, in folders of their own under target/tools.
mcp-clients:
	@scripts/mcp-clients.sh

# The OpenID Connect issuer that a test signs in with, pinned, in a folder of its own under target/tools.
oidc-issuer:
	@scripts/oidc-issuer.sh

# What the tests drive Chromium with, pinned, in a folder of its own under target/tools.
browser:
	@scripts/browser.sh

.PHONY: sdk-typescript sdk-typescript-adapters
# Its tests need target/debug/baton, or BATON_TEST_BINARY.
sdk-typescript: browser ## the TypeScript SDK: biome, tsc, and its tests against a real hub and in Chromium
	@scripts/sdk-typescript.sh

sdk-typescript-adapters: ## the TypeScript SDK's adapters with the OpenAI Agents SDK and the Claude Agent SDK (500 MB of packages)
	@scripts/sdk-typescript.sh adapters

# What calls a live hub by its own description, pinned, in a folder of its own under target/tools.
schemathesis:
	@scripts/schemathesis.sh

# The server that speaks S3 in the tests of artifacts, pinned, in a folder of its own under target/tools.
postgres: ## PostgreSQL 15 for the store's tests
	@scripts/postgres.sh 15

# Three PostgreSQL servers under Patroni, for `make torture STORE=patroni`, pinned, in a folder of its own under target/tools.
patroni:
	@scripts/patroni.sh install

s3:
	@scripts/s3.sh

# Its tests need target/debug/baton, or BATON_TEST_BINARY.
sdk-python: ## the Python SDK: ruff, mypy, and its tests against a real hub
	@scripts/sdk-python.sh

sdk-python-adapters: ## the Python SDK's adapters with LangGraph, the OpenAI Agents SDK and the Claude Agent SDK (500 MB of packages)
	@scripts/sdk-python.sh adapters

screenshots: browser ## the dashboard's pictures in docs/images
	$(CARGO) build --locked --package baton-hub
	@node scripts/screenshots.mjs

clean:
	$(CARGO) clean
