// A minimal hand-written client: one fetch and a check of the code, without types, validation and
// retries.

export const name = "fetch";

export async function open(url) {
  const headers = {
    authorization: "Bearer token",
    "content-type": "application/json",
  };
  const request = async (path, init) => {
    const response = await fetch(`${url}/api/app/v1/${path}`, {
      ...init,
      headers,
    });
    const { code, message, data } = await response.json();
    if (code !== 0) throw new Error(message);
    return data.task;
  };
  return {
    create: (prompt = "slow push in") => {
      const body = {
        file_id: "f-1",
        prompt,
        aspect_ratio: "16:9",
        clarity: "720p",
        duration_seconds: 5,
      };
      return request("generate/video/image_to_video", {
        method: "POST",
        body: JSON.stringify(body),
      });
    },
    status: () => request("generate/tasks/t-1"),
  };
}
