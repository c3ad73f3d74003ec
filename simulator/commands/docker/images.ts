import { FileError } from '../../world/files/tree.ts';
import { dockerImages, findImage, namesOf, tagImage } from '../../world/images/docker-images.ts';
import {
  configOf,
  digestOf,
  type Image,
  idOf,
  loadImages,
  type NamedImage,
  packImage,
  saveImages,
} from '../../world/images/image.ts';
import { familiarImage, normalImage, partsOf } from '../../world/images/image-name.ts';
import { fetchImage, imageProblem } from '../../world/internet/registries.ts';
import type { SimNode } from '../../world/world.ts';
import { type CommandContext, failure, ok, parseArguments } from '../shell/command.ts';
import { loginFor } from './logins.ts';
import { daemonError, type Verb } from './verb.ts';

/** Pulls an image. @returns why it cannot, or undefined */
export function pullImage(context: CommandContext, image: string): string | undefined {
  const { node } = context;
  const full = normalImage(image);
  const login = loginFor(context, partsOf(full).host);
  const problem = imageProblem(node, image, 'docker', login);
  if (problem) return daemonError(problem.reason);
  tagImage(node, full, fetchImage(node, full, 'docker', login));
  return undefined;
}

export const pull: Verb = (args, context) => {
  const { node } = context;
  const parsed = parseArguments(args, new Set(['--platform']));
  const [image = ''] = parsed.operands;
  const problem = pullImage(context, image);
  if (problem !== undefined) return failure(1, problem);
  const name = normalImage(image);
  if (parsed.has('-q', '--quiet')) return ok(`${name}\n`);
  const pulled = dockerImages(node)[name];
  const digest = pulled ? digestOf(packImage(pulled).manifest) : '';
  return ok(`Digest: ${digest}\nStatus: Downloaded newer image for ${familiarImage(name)}\n${name}\n`);
};

export const tag: Verb = ([source = '', target = ''], { node }) => {
  const image = findImage(node, source);
  if (!image) return failure(1, daemonError(`No such image: ${familiarImage(normalImage(source))}`));
  if (!/^[a-z0-9][\w./:-]*$/.test(target)) return failure(1, daemonError(`invalid reference format`));
  tagImage(node, normalImage(target), image);
  return ok();
};

export const load: Verb = async (args, context) => {
  const parsed = parseArguments(args, new Set(['-i', '--input', '--platform']));
  const file = parsed.value('-i', '--input');
  let archive: string;
  try {
    archive = file === undefined ? await context.stdin() : context.files.read(context.path(file));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return failure(1, `open ${file}: no such file or directory`);
  }
  let loaded: readonly NamedImage[];
  try {
    loaded = loadImages(archive);
  } catch (error) {
    return failure(1, error instanceof Error ? error.message : String(error));
  }
  return ok(loaded.map((one) => keepLoaded(context.node, one)).join(''));
};

/** @returns what docker prints of the image */
function keepLoaded(node: SimNode, { image, tags }: NamedImage): string {
  if (tags.length === 0) {
    tagImage(node, idOf(image), image);
    return `Loaded image ID: ${idOf(image)}\n`;
  }
  for (const name of tags) tagImage(node, normalImage(name), image);
  return tags.map((name) => `Loaded image: ${name}\n`).join('');
}

export const save: Verb = (args, context) => {
  const parsed = parseArguments(args, new Set(['-o', '--output']));
  const found = parsed.operands.map((word) => ({ word, image: findImage(context.node, word) }));
  const missing = found.find(({ image }) => image === undefined);
  if (missing) return failure(1, daemonError(`reference does not exist`));
  const named = found.flatMap(({ word, image }) =>
    image === undefined ? [] : [{ image, tags: [familiarImage(normalImage(word))] }],
  );
  const archive = saveImages(named);
  const file = parsed.value('-o', '--output');
  if (file === undefined) return { stdout: archive, binary: true, stderr: '', exitCode: 0 };
  context.files.write(context.path(file), archive, { mode: 0o600 });
  return ok();
};

export const images: Verb = (_, { node }) => {
  const rows = Object.entries(dockerImages(node)).map(([name, image]) => {
    const [, repository = name, label = '<none>'] = /^(.*):([^:/@]+)(?:@.*)?$/.exec(name) ?? [];
    return `${familiarImage(repository)}   ${label}   ${shortId(image)}   1 minute ago   25MB\n`;
  });
  return ok(`REPOSITORY   TAG   IMAGE ID   CREATED   SIZE\n${rows.join('')}`);
};

function shortId(image: Image): string {
  return idOf(image).slice('sha256:'.length, 'sha256:'.length + 12);
}

export const removeImage: Verb = (args, { node }) => {
  const all = dockerImages(node);
  const names = args.filter((argument) => !argument.startsWith('-')).map(normalImage);
  const missing = names.find((name) => !all[name]);
  if (missing !== undefined) return failure(1, daemonError(`No such image: ${familiarImage(missing)}`));
  for (const name of names) delete all[name];
  node.changed();
  return ok(names.map((name) => `Untagged: ${familiarImage(name)}\n`).join(''));
};

/** An image as `docker inspect` shows it. */
export function describeImage(node: SimNode, image: Image): object {
  const { architecture, config } = configOf(image);
  const names = namesOf(node, image).map(familiarImage);
  return {
    Id: idOf(image),
    RepoTags: names.filter((name) => !name.includes('@')),
    Architecture: architecture,
    Os: 'linux',
    Config: config,
  };
}
