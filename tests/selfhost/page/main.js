import { connect } from "mediagate";

const picture = document.createElement("canvas");
picture.width = 64;
picture.height = 48;
picture.getContext("2d").fillRect(8, 8, 40, 30);
const blob = await new Promise((resolve) => picture.toBlob(resolve));

const media = await connect({
  url: new URLSearchParams(location.search).get("gateway"),
});
const task = await media.imageToVideo({
  file_id: new File([blob], "a.png", { type: "image/png" }),
  prompt: "pan",
});
const { outputs } = await task.done();
const video = document.createElement("video");
video.src = outputs[0].url;
video.onloadedmetadata = () => {
  document.title = `a video of ${video.videoWidth} × ${video.videoHeight}`;
};
document.querySelector("main").append(video);
