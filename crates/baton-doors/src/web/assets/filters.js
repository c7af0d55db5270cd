// Filters of a list, as the address says them: a field for a text, and how a list's filters are read from an address.

import { html, useRef } from '/assets/vendor.js';

/// The filters that an address names; the others are empty.
export const filtersOf = (search, names) => Object.fromEntries(names.map((name) => [name, search.get(name) || '']));

/// Typing in a field counts when it rests, so that each letter is not a search.
export function TextFilter({ name, label, filters, set, placeholder = '', type = 'text', ...rest }) {
  const timer = useRef(0);
  const change = (event) => {
    const { value } = event.target;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => set({ [name]: value }), 300);
  };
  return html`<label class="filter"><span>${label}</span><input type=${type} value=${filters[name] || ''} onInput=${change} placeholder=${placeholder} ...${rest} /></label>`;
}
