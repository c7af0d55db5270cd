# A hub in an image of one static binary. docs/install.md says how to run it.
FROM rust:1.95-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends musl-tools ca-certificates \
 && rustup target add "$(uname -m)-unknown-linux-musl"
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY .cargo .cargo
COPY crates crates
# The caches are not part of the image, so the binary is copied out of them here.
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    target="$(uname -m)-unknown-linux-musl" \
 && cargo build --locked --profile dist --package baton-hub --target "$target" \
 && install -D "target/$target/dist/baton" /image/usr/bin/baton
# What a scratch image lacks: a place for SQLite's large sorts, and the authorities behind what the hub calls.
RUN install -d -m 1777 /image/tmp \
 && install -d -m 700 /data \
 && install -D -m 644 /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ca-certificates.crt

FROM scratch
COPY --from=build /image /
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
VOLUME /data
EXPOSE 9200
STOPSIGNAL SIGTERM
# Over the socket in /data, so it holds for any port and with any certificate.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["/usr/bin/baton", "hub", "health", "--data-dir", "/data"]
ENTRYPOINT ["/usr/bin/baton"]
# Plain HTTP for a proxy that does TLS: publish the port to that proxy only.
CMD ["hub", "start", "--data-dir", "/data", "--host", "0.0.0.0", "--behind-proxy"]
