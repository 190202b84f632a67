// A Worker that hides a key and does nothing else: no caller is known, nothing is checked, ids go out as they come in.
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    const headers = { authorization: `Bearer ${env.UPSTREAM_API_KEY}`, "content-type": "application/json" };
    const answer = await fetch(env.UPSTREAM_BASE_URL + pathname, {
      method: request.method,
      headers,
      body: request.body,
      redirect: "manual",
    });
    return new Response(answer.body, {
      status: answer.status,
      headers: {
        "content-type": "application/json",
        "access-control-allow-origin": env.ALLOWED_ORIGINS,
      },
    });
  },
};
