#!/usr/bin/env bash
# Rebuilds crates/baton-doors/src/web/assets/vendor.js: preact and htm, pinned, in one file. Run it by hand when a version
# moves, and mend licenses.txt; `cargo build` never needs it.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" preact@11.2.0 htm@3.1.1 esbuild@0.28.2
cat >"$folder/vendor.js" <<'JS'
export { Component, h, render } from 'preact';
export { useState, useEffect, useRef, useMemo, useCallback, useLayoutEffect } from 'preact/hooks';
import { h } from 'preact';
import htm from 'htm';
export const html = htm.bind(h);
JS
{
    echo '/*! preact 11.2.0 (MIT, (c) 2015-present Jason Miller) and htm 3.1.1 (Apache-2.0, (c) Google Inc.); see licenses.txt. Made by scripts/vendor-web.sh. */'
    "$folder/node_modules/.bin/esbuild" "$folder/vendor.js" --bundle --minify --format=esm --legal-comments=none
} >crates/baton-doors/src/web/assets/vendor.js
