// Before the first paint: the theme somebody chose, else the system's, so that the page does not flash in the other.
const system = matchMedia('(prefers-color-scheme: dark)');
function wear() {
  let chosen = null;
  try { chosen = localStorage.getItem('baton-theme'); } catch { /* storage is off: the system's theme it is */ }
  document.documentElement.dataset.theme = chosen || (system.matches ? 'dark' : 'light');
}
system.addEventListener('change', wear);
wear();
