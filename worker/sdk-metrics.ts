import axios from 'axios';

/**
 * Reads the metrics of Temporal's SDK, which its native part serves on a port of its own.
 * @param address host:port that `installRuntime` was given
 */
export function createSdkMetrics(address: string): () => Promise<string> {
  return async () => {
    const { data } = await axios.get<string>(`http://${address}/metrics`, {
      proxy: false,
      responseType: 'text',
      timeout: 2_000,
    });
    return data;
  };
}
