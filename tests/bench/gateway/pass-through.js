// A Worker that adds the API key and does nothing else: no authentication, no validation, ids
// unchanged.
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    const headers = {
      authorization: `Bearer ${env.UPSTREAM_API_KEY}`,
      "content-type": "application/json",
    };
    const response = await fetch(env.UPSTREAM_BASE_URL + pathname, {
      method: request.method,
      headers,
      body: request.body,
      redirect: "manual",
    });
    return new Response(response.body, {
      status: response.status,
      headers: {
        "content-type": "application/json",
        "access-control-allow-origin": env.ALLOWED_ORIGINS,
      },
    });
  },
};
