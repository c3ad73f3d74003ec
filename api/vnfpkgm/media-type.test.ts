import { expect, it } from 'vitest';
import { mediaTypeOf } from './media-type.ts';

it('names the charset of text that is UTF-8, because the openstack client would spoil it otherwise', () => {
  const text = Buffer.from('# apt_get VERB ARGUMENT…\n');
  expect(mediaTypeOf('Scripts/install.sh', text)).toBe('text/x-sh; charset=utf-8');
  expect(mediaTypeOf('BaseHOT/simple/top.YAML', text)).toBe('application/yaml; charset=utf-8');
});

it('names no charset for ASCII, which every client reads correctly: Tacker’s tests want exactly text/x-sh', () => {
  expect(mediaTypeOf('Scripts/install.sh', Buffer.from('#!/bin/sh\n'))).toBe('text/x-sh');
});

it('claims no charset for other bytes, nor for what is no text', () => {
  expect(mediaTypeOf('notes.txt', Buffer.from('größer', 'latin1'))).toBe('text/plain');
  expect(mediaTypeOf('Scripts/tool', Buffer.from('\x7fELF'))).toBe('application/octet-stream');
  expect(mediaTypeOf('charts/chart.zip', Buffer.from('PK'))).toBe('application/zip');
});
