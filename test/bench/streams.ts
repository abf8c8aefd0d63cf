import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect as openSocket, type Socket } from 'node:net'
import type { Sql } from '../../shared/db/connect.ts'
import { newId } from '../../shared/domain/ids.ts'
import { compiled } from '../devnet/compiled.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { insertManyCharges, LARGEST } from '../support/many-charges.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { environment, prepareApi, startServer } from './api.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Comparison, type Measurement, median } from './compare.ts'
import { showProgress } from './show-progress.ts'

/**
 * Number of simultaneously open streams in one API process. Each stream needs a file descriptor in that process and one
 * in this process.
 */
const STREAMS = 10_000
const AIM = 1.5
const OPENED_TOGETHER = 200
const PATIENCE_MS = 120_000

/** Measurement of one server: resident memory of all streams, and time until every stream has received its event. */
type Found = { readonly memoryMb: number; readonly tookMs: number }

/**
 * Compares 10,000 open streams in one API process, each of which receives one change of its own charge, with a minimal
 * Node server that writes the same prepared frame to 10,000 open responses.
 *
 * The time of our API starts when the events are numbered and ends when every stream has received the first bytes of
 * its frame. The time of the bare server starts with the command to write and ends when every stream has received the
 * whole frame, which has the same length. Our API reads the 10,000 charges from the database and serializes each.
 */
export async function benchStreams(options: BenchOptions): Promise<readonly (Comparison | Measurement)[]> {
  const streams = Math.min(options.rows ?? resize(STREAMS, options), STREAMS)
  const database = await createTestDatabase()
  try {
    const key = await prepareApi(database.sql, LARGEST)
    const ids = await insertOpenCharges(database.sql, streams)
    const pairs: { ours: Found; bare: Found }[] = []
    let frameBytes = 0
    for (let turn = 0; turn < Math.min(options.repetitions, 3); turn += 1) {
      const ours = await measureOurs(database, { key, ids })
      frameBytes = ours.frameBytes
      pairs.push({ ours, bare: await measureBare(ids.length, frameBytes) })
      showProgress(`streams: ${turn + 1}`)
    }
    return present(pairs, { streams, frameBytes })
  } finally {
    await database.drop()
  }
}

/** Inserts unpaid charges of one organization, and returns their ids. */
async function insertOpenCharges(sql: Sql, count: number): Promise<readonly string[]> {
  await insertManyCharges(sql, 2 * count)
  await sql`delete from transfers`
  await sql`delete from charges_by_paid_with`
  await sql`delete from charge_comparisons`
  await sql`delete from charges where organization_id <> ${LARGEST}`
  const rows = await sql<{ id: string }[]>`
    update charges set status = 'pending', received_atto = null, paid_with = '{}', confirmed_at = null,
      expires_at = now() + interval '1 hour'
    returning id`
  const ids = rows.map(() => newId('ch', Date.now()))
  await sql`
    update charges c set id = n.id
    from unnest(${rows.map(({ id }) => id)}::text[], ${ids}::text[]) as n (old_id, id) where c.id = n.old_id`
  await sql`vacuum analyze charges`
  return ids
}

function present(
  pairs: readonly { readonly ours: Found; readonly bare: Found }[],
  { streams, frameBytes }: { readonly streams: number; readonly frameBytes: number },
): readonly (Comparison | Measurement)[] {
  const compared = (figure: keyof Found, unit: 'ms' | 'MB', words: string): Comparison => {
    const [ours, yardstick] = (['ours', 'bare'] as const).map((whose) =>
      median(pairs.map((pair) => pair[whose][figure])),
    )
    const name = `${streams} open streams, ${words} / a bare writer to as many sockets`
    const ratio = median(pairs.map(({ ours: own, bare }) => own[figure] / bare[figure]))
    return { name, unit, aim: AIM, ratio, ours: ours ?? Number.NaN, yardstick: yardstick ?? Number.NaN }
  }
  return [
    compared('memoryMb', 'MB', 'memory of the streams'),
    compared('tookMs', 'ms', 'one event to each stream'),
    { name: 'bytes of a frame, the same for both', unit: 'bytes', value: frameBytes },
  ]
}

async function measureOurs(
  { sql, url }: { readonly sql: Sql; readonly url: { readonly api: string } },
  { key, ids }: { readonly key: string; readonly ids: readonly string[] },
): Promise<Found & { readonly frameBytes: number }> {
  // An earlier heartbeat would be counted as an event.
  const env = {
    ...environment(url.api),
    ...{ STREAMS_PER_KEY: String(STREAMS), STREAM_HEARTBEAT_SECONDS: '60' },
  }
  const server = await startServer('api', env)
  const before = residentMbOf(server.process)
  const readers = await openAll(server.url, { ids, pathOf: (id) => `/v1/charges/${id}/events`, key })
  // Each stream first receives the current state of its charge.
  await untilAll(readers, (reader) => reader.bytes > 0)
  await untilQuiet(readers)
  const memoryMb = residentMbOf(server.process) - before
  const bytesBefore = readers.map(({ bytes }) => bytes)
  await sql`update charges set last_activity_at = now(), external_ref = 'changed ' || clock_timestamp() where id = any (${[...ids]})`
  const startedAtMs = performance.now()
  await tellOfAll(sql, ids)
  await untilAll(readers, (reader, index) => reader.bytes > (bytesBefore[index] ?? 0))
  const tookMs = lastReadAt(readers) - startedAtMs
  const frameBytes = (readers[0]?.bytes ?? 0) - (bytesBefore[0] ?? 0)
  await close(server.process, readers)
  return { memoryMb, tookMs, frameBytes }
}

/** Acts as the sequencer: inserts one numbered event per charge, and sends one notification for all events. */
async function tellOfAll(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql`
    with counter as (update event_sequence set last_seq = last_seq + ${ids.length} returning last_seq)
    insert into events (id, seq, category, type, organization_id, environment, charge_id, data, created_at)
    select 'evt_' || gen_random_uuid(), last_seq - ${ids.length} + n, 'internal', 'charge.updated', ${LARGEST}, 'live', id,
      '{}', now()
    from counter, unnest(${[...ids]}::text[]) with ordinality as c (id, n)`
  const [row] = await sql<{ lastSeq: number }[]>`select last_seq from event_sequence`
  await sql`select pg_notify('svc_events', ${String(row?.lastSeq)})`
}

async function measureBare(streams: number, frameBytes: number): Promise<Found> {
  const child = fork(await compiled('test/bench/bare-writer.ts'), [String(frameBytes)], { execArgv: [] })
  const url = await new Promise<string>((resolve) => child.once('message', (text) => resolve(text as string)))
  const before = residentMbOf(child)
  const readers = await openAll(url, {
    ids: Array.from({ length: streams }, String),
    pathOf: () => '/',
    key: '',
  })
  await untilAll(readers, (reader) => reader.bytes > 0)
  await untilQuiet(readers)
  const memoryMb = residentMbOf(child) - before
  const bytesBefore = readers.map(({ bytes }) => bytes)
  const startedAtMs = performance.now()
  child.send('write')
  await untilAll(readers, (reader, index) => reader.bytes >= (bytesBefore[index] ?? 0) + frameBytes)
  const tookMs = lastReadAt(readers) - startedAtMs
  await close(child, readers)
  return { memoryMb, tookMs }
}

/** One client: a socket, the number of received bytes, and the time of the last receipt. */
type Reader = { readonly socket: Socket; bytes: number; readAtMs: number }

async function openAll(
  url: string,
  {
    ids,
    pathOf,
    key,
  }: {
    readonly ids: readonly string[]
    readonly pathOf: (id: string) => string
    readonly key: string
  },
): Promise<readonly Reader[]> {
  const { hostname, port, host } = new URL(url)
  const readers: Reader[] = []
  for (let from = 0; from < ids.length; from += OPENED_TOGETHER) {
    const some = ids.slice(from, from + OPENED_TOGETHER).map((id) => {
      const socket = openSocket({ host: hostname, port: Number(port) })
      const reader: Reader = { socket, bytes: 0, readAtMs: 0 }
      socket.on('data', (chunk) => {
        reader.bytes += chunk.length
        reader.readAtMs = performance.now()
      })
      socket.write(`GET ${pathOf(id)} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`)
      return reader
    })
    await untilAll(some, (reader) => reader.bytes > 0)
    readers.push(...some)
  }
  return readers
}

async function untilAll(
  readers: readonly Reader[],
  holds: (reader: Reader, index: number) => boolean,
): Promise<void> {
  await waitFor(() => readers.every(holds), {
    what: `the event on ${readers.length} streams`,
    timeoutMs: PATIENCE_MS,
    intervalMs: 5,
  })
}

/** Waits until no stream has received data for a second. */
async function untilQuiet(readers: readonly Reader[]): Promise<void> {
  await waitFor(() => performance.now() - lastReadAt(readers) > 1_000, {
    what: 'the streams to be quiet',
    timeoutMs: PATIENCE_MS,
  })
}

function lastReadAt(readers: readonly Reader[]): number {
  return readers.reduce((last, { readAtMs }) => Math.max(last, readAtMs), 0)
}

async function close(child: ChildProcess, readers: readonly Reader[]): Promise<void> {
  for (const { socket } of readers) socket.destroy()
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

/** @see proc(5), VmRSS in kB */
function residentMbOf({ pid }: ChildProcess): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(match?.[1]) / 1024
}
