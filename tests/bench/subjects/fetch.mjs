// What a person would write by hand in ten minutes: one fetch, and a look at the code. No types, no checks, no retry.

export const name = "fetch";

export async function open(url) {
  const headers = { authorization: "Bearer token", "content-type": "application/json" };
  const ask = async (path, init) => {
    const response = await fetch(`${url}/api/app/v1/${path}`, { ...init, headers });
    const { code, message, data } = await response.json();
    if (code !== 0) throw new Error(message);
    return data.task;
  };
  return {
    create: (prompt = "slow push in") => {
      const body = { file_id: "f-1", prompt, aspect_ratio: "16:9", clarity: "720p", duration_seconds: 5 };
      return ask("generate/video/image_to_video", { method: "POST", body: JSON.stringify(body) });
    },
    status: () => ask("generate/tasks/t-1"),
  };
}
