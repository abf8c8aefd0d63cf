import { type ChargeView, findCharge } from './charge-view.ts'
import type { ChainLog, Entry, Fact, RecordedNetwork } from './entry.ts'
import { parseJson } from './parse-json.ts'

/** A request, and its response or `null` if no complete response was recorded. */
export type Exchange = {
  readonly organization: string
  readonly method: string
  readonly path: string
  readonly body: string | null
  readonly sentAtMs: number
  readonly response: Response | null
}

type Response = { readonly atMs: number; readonly status: number; readonly text: string }

/** A charge as an organization received it. The service read the charge between `fromMs` and `atMs`. */
export type Sighting = {
  readonly organization: string
  readonly fromMs: number
  readonly atMs: number
  readonly charge: ChargeView
}

/** An event of a charge that arrived at an organization, in a delivery or in its stream of webhook events. */
export type Arrival = {
  readonly organization: string
  readonly channel: 'webhook' | 'stream'
  readonly atMs: number
  readonly id: string
  readonly type: string
  /** The whole event as text. */
  readonly text: string
  readonly charge: ChargeView
}

type Of<Type extends Fact['type']> = Extract<Entry, { readonly type: Type }>

/** The record of a run, grouped by subject. */
export type History = {
  readonly networks: ReadonlyMap<string, RecordedNetwork>
  readonly exchanges: readonly Exchange[]
  /** The charges in responses, events and streams of single charges. */
  readonly sightings: readonly Sighting[]
  /** By connection number, the charges in the order in which their frames arrived. */
  readonly connections: ReadonlyMap<number, readonly ChargeView[]>
  /** In the order of their arrival. */
  readonly arrivals: readonly Arrival[]
  readonly frames: readonly Of<'frame'>[]
  readonly deliveries: readonly Of<'delivery'>[]
  /** By network, in the order of the requests, which do not overlap. No height is below an earlier height. */
  readonly heads: ReadonlyMap<string, readonly Of<'head'>[]>
  readonly transfers: readonly Of<'transfer'>[]
  readonly distributions: readonly Of<'distribution'>[]
  /** Time of the `quiet` entry, or `null` if the run ended without one. */
  readonly quietAtMs: number | null
}

const LISTEN = '/v1/webhooks/listen'

/** `fromMs` of events and frames, whose charge might have been read at any earlier time. */
const UNKNOWN_START_MS = Number.NEGATIVE_INFINITY

export function buildHistory(entries: readonly Entry[]): History {
  const list = <Type extends Fact['type']>(type: Type) =>
    entries.filter((entry): entry is Of<Type> => entry.type === type)
  const [frames, deliveries] = [list('frame'), list('delivery')]
  const exchanges = pairExchanges(entries)
  const arrivals = listArrivals(frames, deliveries)
  const shown = frames.flatMap(readChargeFrame)
  return {
    ...{ exchanges, arrivals, frames, deliveries },
    ...{ transfers: list('transfer'), distributions: list('distribution') },
    heads: listRising(list('head')),
    networks: new Map(list('setup').flatMap(({ networks }) => networks.map((one) => [one.network, one]))),
    sightings: [
      ...exchanges.flatMap(readSightings),
      ...arrivals.map((arrival) => ({ ...arrival, fromMs: UNKNOWN_START_MS })),
      ...shown.map(({ frame, charge }) => ({ ...frame, fromMs: UNKNOWN_START_MS, charge })),
    ],
    connections: groupBy(
      shown,
      ({ frame }) => frame.connection,
      ({ charge }) => charge,
    ),
    quietAtMs: list('quiet').at(0)?.atMs ?? null,
  }
}

/** Groups heights by network. Omits heights below an earlier height, which a reorganization can cause. */
function listRising(heads: readonly Of<'head'>[]): History['heads'] {
  const highest = new Map<string, number>()
  const rising = heads.filter(({ network, number }) => {
    const isRising = number >= (highest.get(network) ?? 0)
    if (isRising) highest.set(network, number)
    return isRising
  })
  return groupBy(rising, ({ network }) => network)
}

function pairExchanges(entries: readonly Entry[]): readonly Exchange[] {
  const responses = new Map<number, Response>()
  for (const entry of entries)
    if (entry.type === 'response')
      responses.set(entry.id, { atMs: entry.atMs, status: entry.status, text: entry.body })
  return entries.flatMap((entry) =>
    entry.type === 'request'
      ? [{ ...entry, sentAtMs: entry.atMs, response: responses.get(entry.id) ?? null }]
      : [],
  )
}

function readSightings({ organization, sentAtMs, response }: Exchange): readonly Sighting[] {
  if (response === null || response.status >= 300) return []
  const json = parseJson(response.text)
  const page = (json as { readonly data?: unknown } | null)?.data
  const items: readonly unknown[] = Array.isArray(page) ? page : [json]
  return items.flatMap((item) => {
    const charge = findCharge(item)
    return charge === null ? [] : [{ organization, fromMs: sentAtMs, atMs: response.atMs, charge }]
  })
}

function readChargeFrame(frame: Of<'frame'>) {
  const charge = frame.event === 'charge' ? findCharge(parseJson(frame.data)) : null
  return charge === null ? [] : [{ frame, charge }]
}

function listArrivals(
  frames: readonly Of<'frame'>[],
  deliveries: readonly Of<'delivery'>[],
): readonly Arrival[] {
  const streamed = frames
    .filter(({ path }) => path === LISTEN)
    .flatMap(({ data, organization, atMs }) => readEvent(data, { organization, atMs, channel: 'stream' }))
  const delivered = deliveries.flatMap(({ body, organization, atMs }) =>
    readEvent(body, { organization, atMs, channel: 'webhook' }),
  )
  return [...streamed, ...delivered].toSorted((one, other) => one.atMs - other.atMs)
}

function readEvent(
  text: string,
  where: Pick<Arrival, 'organization' | 'atMs' | 'channel'>,
): readonly Arrival[] {
  const json = parseJson(text) as { readonly id?: string; readonly event?: string; readonly data?: unknown }
  const charge = findCharge(json?.data)
  if (charge === null) return []
  return [{ ...where, id: String(json.id), type: String(json.event), text, charge }]
}

/** Groups items by a key. Each group keeps the order of the items. */
export function groupBy<Item, Key, Value = Item>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
  valueOf: (item: Item) => Value = (item) => item as unknown as Value,
): ReadonlyMap<Key, readonly Value[]> {
  const groups = new Map<Key, Value[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [valueOf(item)])
    else group.push(valueOf(item))
  }
  return groups
}

/** Returns the amount of a log in 10⁻¹⁸ dollars. */
export function readAtto(history: History, { network, token, value }: ChainLog): bigint {
  const decimals = history.networks.get(network)?.tokens[token]?.decimals
  if (decimals === undefined) throw new Error(`the record describes no ${token} on ${network}`)
  return BigInt(value) * 10n ** BigInt(18 - decimals)
}
