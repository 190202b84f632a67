// A step is accepted only as an input of the kind that it produces.
import type {
  Media,
  MediagateError,
  Pipeline,
  PipelineSnapshot,
  Step,
  StepInput,
  StepReference,
} from "mediagate";
import type { Members } from "./any.js";

declare const song: File;

export async function compiles(
  media: Media,
  signal: AbortSignal,
): Promise<PipelineSnapshot> {
  const film = await media.pipelines.start(
    (p) => {
      const still: Step<"image"> = p.textToImage(
        { prompt: "a lighthouse at dusk" },
        { name: "still" },
      );
      const clip = p.imageToVideo({
        file_id: still,
        prompt: "slow push in",
        aspect_ratio: "16:9",
        clarity: null,
      });
      p.omniReferenceToVideo({
        prompt: "p",
        image_file_ids: [still, still.output(1), "f", song],
        video_file_ids: [clip],
      });
      p.audioDriven({ avatar_asset_id: still, audio_file_id: song });
      p.videoLogoRemoval({ input_video_file_id: clip, logo_file_id: still });
      p.videoLogoRemoval({
        input_video_file_id: clip,
        logo_file_id: [still, "f"],
      });
      const pages = p.splitPdf({
        input_file_id: { step: "of_another_part" },
        page_range: "1",
      });
      p.mergePdf({
        input_file_ids: [pages, pages.output(1), { taskId: "t", output: 0 }],
      });
      return p.addAudioToVideo({ video_file_id: clip, audio_file_id: song });
    },
    { title: "Lighthouse", idempotencyKey: "once", signal },
  );
  for await (const { steps } of film)
    void steps.map((step) => step.error?.message ?? step.progress);
  const again: Pipeline = media.pipelines.restore(film.toJSON());
  const { pipelines } = await media.tasks.list();
  for (const pipeline of pipelines)
    void media.pipelines.restore(pipeline).state;
  await media.pipelines.start(async (p) => p.textToImage({ prompt: "p" }));
  await media.imageToVideo({ file_id: film.outputs[0] ?? "f", prompt: "p" });
  await media.pipelines.forget(film);
  for await (const { title } of media.pipelines.list()) void title;
  return again.resumable ? again.resume() : again.cancel();
}

export async function refuses(media: Media): Promise<void> {
  await media.pipelines.start((p) => {
    const still = p.textToImage({ prompt: "p" });
    const clip = p.imageToVideo({ file_id: still, prompt: "p" });
    // @ts-expect-error a picture where a video is wanted
    p.addAudioToVideo({ video_file_id: still, audio_file_id: "f" });
    // @ts-expect-error another output of it is no video either
    p.addAudioToVideo({ video_file_id: still.output(1), audio_file_id: "f" });
    // @ts-expect-error a video in a list of pictures
    p.omniReferenceToVideo({ prompt: "p", image_file_ids: [still, clip] });
    // @ts-expect-error a video is no PDF
    p.mergePdf({ input_file_ids: [clip] });
    // @ts-expect-error a step is no prompt
    p.textToImage({ prompt: still });
    // @ts-expect-error a required field is missing
    p.imageToVideo({ file_id: still });
    // @ts-expect-error an unknown field
    p.imageToVideo({ file_id: still, prompt: "p", promt: "p" });
    // @ts-expect-error a step has a name and no title
    p.textToImage({ prompt: "p" }, { title: "t" });
    // @ts-expect-error a step is no task
    still.done();
  });
  const step: StepReference<"image"> = { step: "still" };
  // @ts-expect-error a step is an input of other steps alone
  await media.imageToVideo({ file_id: step, prompt: "p" });
  // @ts-expect-error a list is no builder
  await media.pipelines.start([]);
  const film = media.pipelines.restore("p");
  // @ts-expect-error a pipeline is not a task
  await media.tasks.forget(film);
  // @ts-expect-error a task is not a pipeline
  await media.pipelines.forget(media.tasks.restore(film));
  // @ts-expect-error there is no step outside of the function
  await media.textToImage({ prompt: "p" }).output(0);
}

export function knows(error: MediagateError): string {
  return (
    error.pipeline?.steps.find((step) => step.name === error.step)
      ?.capability ?? error.message
  );
}

// A type other than `never` here is a member that is `any`.
export const noAny: [
  Members<StepInput<"omni_reference_to_video">>,
  Members<Pipeline>,
] extends never[]
  ? true
  : false = true;
