import { type ApiClient, createApiClient } from '../../api/client/client.ts'
import type { DevnetDescription } from './write-description.ts'

/** Returns an API client with one of the devnet's keys. Defaults to the live key. */
export function createApiCaller(
  { apiUrl, keys }: Pick<DevnetDescription, 'apiUrl' | 'keys'>,
  key: keyof DevnetDescription['keys'] = 'live',
): ApiClient {
  return createApiClient({ apiUrl, apiKey: keys[key] })
}
