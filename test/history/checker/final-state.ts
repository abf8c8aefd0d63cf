import { type ChargeView, findCharge } from './charge-view.ts'
import type { Exchange, History } from './history.ts'
import { parseJson } from './parse-json.ts'

/** A successful read after the record's `quiet` entry. */
export type FinalRead<Value> = { readonly chargeId: string; readonly atMs: number; readonly value: Value }

/** The fields of a timeline entry that the rules compare. */
export type TimelineEntry = {
  readonly type: string
  readonly network: string | null
  readonly token: string | null
  readonly txHash: string | null
  readonly amountExact?: string
  readonly creditedAt?: string | null
}

const CHARGE = /^\/v1\/charges\/(ch_[0-9a-z]+)$/
const TIMELINE = /^\/v1\/charges\/(ch_[0-9a-z]+)\/timeline$/

/** Returns the last final read of each charge. */
export function listFinalCharges(history: History): readonly FinalRead<ChargeView>[] {
  return listFinalReads(history, CHARGE, findCharge)
}

/** Returns the last final read of each charge's timeline. */
export function listFinalTimelines(history: History): readonly FinalRead<readonly TimelineEntry[]>[] {
  return listFinalReads(history, TIMELINE, (json) =>
    Array.isArray(json) ? (json as readonly TimelineEntry[]) : null,
  )
}

function listFinalReads<Value>(
  { exchanges, quietAtMs }: History,
  path: RegExp,
  read: (json: unknown) => Value | null,
): readonly FinalRead<Value>[] {
  const latest = new Map<string, FinalRead<Value>>()
  for (const exchange of exchanges) {
    const chargeId = path.exec(exchange.path)?.[1]
    const isFinal = quietAtMs !== null && exchange.sentAtMs >= quietAtMs && isSuccess(exchange)
    if (chargeId === undefined || !isFinal) continue
    const value = read(parseJson(exchange.response?.text ?? ''))
    if (value !== null) latest.set(chargeId, { chargeId, atMs: exchange.response?.atMs ?? 0, value })
  }
  return [...latest.values()]
}

function isSuccess({ method, response }: Exchange): boolean {
  return method === 'GET' && response?.status === 200
}
