import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { type Answer, decode, encode, type Packet, type Question } from 'dns-packet'

/** Response for a name: IPv4 and IPv6 addresses, an alias, an error, or no response at all. */
export type DnsRecord = readonly string[] | { readonly cname: string } | 'servfail' | 'silence'

/** A DNS server on the loopback address. */
export type DnsServer = {
  /** As `127.0.0.1:<port>`. */
  readonly address: string
  readonly set: (name: string, record: DnsRecord) => void
  /** Returns the number of lookups of a name. Each lookup sends one query per address family. */
  readonly asked: (name: string) => number
  readonly stop: () => Promise<void>
}

/** Starts a real DNS server over UDP. Names outside its zone do not exist. */
export async function startDnsServer(zone: Readonly<Record<string, DnsRecord>> = {}): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const records = new Map(Object.entries(zone))
  const names: string[] = []
  socket.on('message', (message, from) => {
    const query = decode(message)
    const [question] = query.questions ?? []
    if (question === undefined) return
    names.push(question.name.toLowerCase())
    respond(socket, from, { query, question, records })
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    set: (name, record) => records.set(name, record),
    asked: (name) => names.filter((asked) => asked === name).length / 2,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

/** Response codes of RFC 1035, section 4.1.1. */
const SERVFAIL = 2
const NXDOMAIN = 3

type Asked = { query: Packet; question: Question; records: ReadonlyMap<string, DnsRecord> }

function respond(socket: Socket, from: RemoteInfo, { query, question, records }: Asked): void {
  const record = records.get(question.name.toLowerCase())
  if (record === 'silence') return
  const code = record === undefined ? NXDOMAIN : record === 'servfail' ? SERVFAIL : 0
  const answers = record === undefined || record === 'servfail' ? [] : answersOf(question, record, records)
  // The response code is the lowest four bits of the flags; 0x80 means that recursion is available.
  const packet: Packet = { type: 'response', flags: 0x80 | code, questions: [question], answers }
  socket.send(encode({ ...packet, ...(query.id !== undefined && { id: query.id }) }), from.port, from.address)
}

function answersOf(
  question: Question,
  record: Exclude<DnsRecord, string>,
  records: ReadonlyMap<string, DnsRecord>,
): Answer[] {
  const { name } = question
  if ('cname' in record) {
    const target = records.get(record.cname)
    const rest =
      typeof target === 'object' ? answersOf({ ...question, name: record.cname }, target, records) : []
    return [{ type: 'CNAME', name, ttl: 0, data: record.cname }, ...rest]
  }
  const type = question.type === 'AAAA' ? 'AAAA' : 'A'
  return record
    .filter((address) => address.includes(':') === (type === 'AAAA'))
    .map((data) => ({ type, name, ttl: 0, data }))
}
