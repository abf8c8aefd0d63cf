import { type ApiClient, createApiClient } from '../../api/client/client.ts'
import type { DevnetDescription } from './write-description.ts'

/** Answers the client of one of a devnet's keys; of the live one if none is named. */
export function createApiCaller(
  { apiUrl, keys }: Pick<DevnetDescription, 'apiUrl' | 'keys'>,
  key: keyof DevnetDescription['keys'] = 'live',
): ApiClient {
  return createApiClient({ apiUrl, apiKey: keys[key] })
}
