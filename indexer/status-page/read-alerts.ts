import { type Static, Type } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { readText } from '../../shared/runtime/read-text.ts'

/** An alert that Prometheus reports as pending or firing. */
export type Alert = { readonly name: string; readonly summary: string; readonly state: string }

const TIMEOUT_MS = 2_000
const MAX_BYTES = 1_000_000
const MAX_ALERTS = 50

const RESPONSE = Type.Object({
  data: Type.Object({
    alerts: Type.Array(
      Type.Object({
        state: Type.String({ maxLength: 100 }),
        labels: Type.Record(Type.String(), Type.String()),
        annotations: Type.Record(Type.String(), Type.String()),
      }),
    ),
  }),
})
const isResponse = new Ajv().compile<Static<typeof RESPONSE>>(RESPONSE)

/**
 * Reads at most 50 alerts of a Prometheus server, firing alerts first. Returns `null` if the server sends no valid
 * response of at most 1 MB within `timeoutMs` (2 s).
 *
 * @see https://prometheus.io/docs/prometheus/latest/querying/api/#alerts
 */
export async function readAlerts(
  prometheusUrl: string,
  timeoutMs = TIMEOUT_MS,
): Promise<readonly Alert[] | null> {
  const url = `${prometheusUrl.replace(/\/$/, '')}/api/v1/alerts`
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
    const body: unknown = JSON.parse(await readText(response, MAX_BYTES))
    if (!response.ok || !isResponse(body)) return null
    return body.data.alerts
      .map(({ state, labels, annotations }) => ({
        ...{ state, name: labels['alertname'] ?? 'alert' },
        summary: annotations['summary'] ?? '',
      }))
      .toSorted((a, b) => Number(b.state === 'firing') - Number(a.state === 'firing'))
      .slice(0, MAX_ALERTS)
  } catch {
    return null
  }
}
