import { expect, it } from 'vitest';
import type { SoftwareImage } from '../domain/vnfd/model.ts';
import type { Vnfd } from '../domain/vnfd.ts';
import { softwareImages } from './software-images.ts';

const image = (id: string, name: string): SoftwareImage => ({
  id,
  name,
  version: '22.04',
  containerFormat: 'bare',
  diskFormat: 'qcow2',
  minDisk: 0,
  minRam: 0,
  size: 0,
});

/** A VNFD with these images in its flavours. */
function listed(...flavours: SoftwareImage[][]): string[] {
  const vnfd = { flavours: flavours.map((images, at) => ({ id: `flavour-${at}`, softwareImages: images })) };
  return softwareImages(vnfd as unknown as Vnfd, new Map(), new Date()).map(({ id, name }) => `${id}: ${name}`);
}

it('lists an image once, however many flavours use it', () => {
  const both = [image('masterNode', 'ubuntu'), image('workerNode', 'ubuntu')];
  expect(listed(both, both)).toEqual(['masterNode: ubuntu', 'workerNode: ubuntu']);
});

it('lists both images when flavours give a node different ones', () => {
  expect(listed([image('masterNode', 'ubuntu')], [image('masterNode', 'debian')])).toEqual([
    'masterNode: ubuntu',
    'masterNode: debian',
  ]);
});
