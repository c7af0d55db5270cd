// Signs in and out. A change carries `baton-page: 1`; the browser adds the cookie and the Origin by itself.
const form = document.getElementById("sign-in");
const said = document.getElementById("said");
const signOut = document.getElementById("sign-out");

async function call(method, body) {
  const headers = { "baton-page": "1" };
  if (body) headers["content-type"] = "application/json";
  const response = await fetch("/api/session", { method, headers, body: body && JSON.stringify(body) });
  return { status: response.status, answer: await response.json() };
}

async function show() {
  const { status, answer } = await call("GET");
  form.hidden = status === 200;
  signOut.hidden = status !== 200;
  said.textContent = status === 200 ? `Signed in as ${answer.user.username}.` : "";
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { status, answer } = await call("POST", Object.fromEntries(new FormData(form)));
  if (status === 200) return show();
  said.textContent = answer.message ?? answer.error;
});

signOut.addEventListener("click", async () => {
  await call("DELETE");
  await show();
});

show();
