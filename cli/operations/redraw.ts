/** Draws lines over the lines that were drawn before. */
export interface Canvas {
  draw(lines: readonly string[]): void;
}

export function createCanvas(stream: Pick<NodeJS.WriteStream, 'write'>): Canvas {
  let height = 0;
  return {
    draw: (lines) => {
      const up = height === 0 ? '' : `\u001b[${height}A`;
      stream.write(`${up}\r\u001b[J${lines.join('\n')}\n`);
      height = lines.length;
    },
  };
}
