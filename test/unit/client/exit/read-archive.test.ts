import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { CheckedCharge } from '../../../../api/client/check-address.ts'
import { type Archive, readArchive } from '../../../../api/client/exit/read-archive.ts'
import { type Address, checksum } from '../../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../../shared/domain/chain-families/tron/address.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../../../shared/domain/split-address.ts'
import { createWebhookSecret } from '../../../../shared/domain/webhook-secret.ts'
import { signAttempt } from '../../../../shared/domain/webhook-signature.ts'
import {
  addressOfByte,
  buildCharge,
  buildTronCharge,
  FACTORY_ON_TRON,
  MERCHANT,
  PARTNER,
  withEscrow,
  withTerms,
} from '../../../support/checked-charges.ts'
import { temporaryDirectory } from '../../../support/temporary-directory.ts'

const THIEF = checksum(addressOfByte('ff'))
const SECRET = createWebhookSecret()

describe('readArchive', () => {
  const charge = buildCharge({})
  const webhook = toWebhook(charge)

  const forms: Record<string, string | Buffer> = {
    'a response': JSON.stringify(charge),
    'a pretty-printed response': JSON.stringify(charge, null, 2),
    'the body of a webhook': webhook,
    'a page of charges': JSON.stringify({ data: [charge], nextCursor: null }),
    'a list of webhooks': `[${webhook},${webhook}]`,
    'one record per line': `${webhook}\n\n${JSON.stringify(charge)}\n`,
    'an HTTP response': `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(charge)}`,
    'an HTTP request': `POST /hook HTTP/1.1\nHost: shop.example\n\n${webhook}`,
    'headers and body as JSON': JSON.stringify({ headers: signed(webhook), body: webhook }),
  }
  for (const [form, text] of Object.entries(forms)) {
    it(`reads ${form}`, async () => {
      const archive = await read({ 'a.json': text })
      expect(archive.rejected).to.deep.equal([])
      expect(archive.charges.map(({ id }) => id)).to.deep.equal([charge.id])
      expect(archive.charges[0]?.split.recipients[0]).to.equal(MERCHANT)
    })
  }

  it('reads each charge once, in any order and in subdirectories, and ignores other webhooks', async () => {
    const escrow = withEscrow(buildCharge({}))
    const other = '{"id":"evt_1","event":"webhook.delivery_failed","data":{"webhookId":"wh_1"}}'
    const files = {
      '2': webhook,
      'b/1': JSON.stringify(charge),
      'b/c/0': toWebhook(escrow),
      other,
      empty: ' ',
    }
    const { charges, rejected } = await read(files)
    expect(charges.map(({ id }) => id)).to.deep.equal([charge.id, escrow.id].toSorted())
    expect(charges.map(({ releaser }) => releaser)).to.have.members([null, PARTNER])
    expect(rejected).to.deep.equal([])
  })

  const forged: Record<string, (charge: CheckedCharge) => unknown> = {
    'a charge with another merchant': ({ addressTerms, ...rest }) => ({
      ...rest,
      addressTerms: {
        ...addressTerms,
        recipients: addressTerms.recipients.map((one) => ({ ...one, address: THIEF })),
      },
    }),
    'a charge with another address': (one) => ({ ...one, address: THIEF }),
    'a charge with another split': (one) => withTerms(one, { splitAddress: THIEF }),
    'a charge with another factory': (one) => withTerms(one, { factory: THIEF }),
    'a charge with a salt of another charge': (one) => ({ ...one, id: buildCharge({}).id }),
    'a charge with an invalid id': (one) => ({ ...one, id: '\u001B[2J' }),
    'a charge with no recipients': (one) => withTerms(one, { recipients: [] }),
    'a charge with recipients that are not a list': (one) => withTerms(one, { recipients: 'all' as never }),
    'a charge with an allocation that is not a number': (one) =>
      withTerms(one, { recipients: [{ address: THIEF, allocation: '1000000' as never }] }),
    'a charge with a Safe of another owner': (one) => {
      const escrow = withEscrow(one)
      const { safe } = escrow.addressTerms
      return safe === null ? one : withTerms(escrow, { safe: { ...safe, owner: THIEF } })
    },
    'a charge with an incentive that is not a number': (one) =>
      withTerms(one, { distributionIncentive: null as never }),
  }
  for (const [title, forge] of Object.entries(forged)) {
    it(`rejects ${title}, and reads the other records`, async () => {
      const archive = await read({ good: webhook, bad: JSON.stringify(forge(charge)) })
      expect(archive.charges.map(({ id }) => id)).to.deep.equal([charge.id])
      expect(archive.rejected.map(({ where }) => where)).to.deep.equal(['"bad"'])
      expect(archive.rejected[0]?.reason).to.match(/^[^\p{Cc}]+$/u)
    })
  }

  it('names the field, its value and the expected value', async () => {
    const { rejected } = await read({ bad: JSON.stringify({ ...charge, address: THIEF }) })
    const reason = `address is "${THIEF}", but according to the terms it must be ${charge.address}`
    expect(rejected).to.deep.equal([{ where: '"bad"', reason }])
  })

  it('reads charges on TRON only with a trusted factory', async () => {
    const files = { tron: JSON.stringify(buildTronCharge()) }
    expect((await read(files)).rejected[0]?.reason).to.include('--factory')
    const factory = formatTronAddress(FACTORY_ON_TRON)
    expect((await read(files, { factory })).charges).to.have.length(1)
    const other = formatTronAddress(PARTNER)
    expect((await read(files, { factory: other })).rejected[0]?.reason).to.include(`is at ${other}`)
  })

  it('requires a signature of any age if secrets are given, except from responses that may be unsigned', async () => {
    const headers = Object.entries(signed(webhook)).map(([name, value]) => `${name}: ${value}\r\n`)
    const message = `POST / HTTP/1.1\r\n${headers.join('')}\r\n${webhook}`
    const secrets = [createWebhookSecret(), SECRET]
    for (const text of [message, JSON.stringify({ headers: signed(webhook), body: webhook })])
      expect((await read({ text }, { secrets })).rejected).to.deep.equal([])
    expect((await read({ text: JSON.stringify(charge) }, { secrets })).charges).to.have.length(0)
    const accepting = { secrets, acceptsUnsigned: true }
    expect((await read({ text: JSON.stringify(charge) }, accepting)).charges).to.have.length(1)
    const response = `HTTP/1.1 201 Created\r\n\r\n${JSON.stringify(charge)}`
    expect((await read({ response }, accepting)).charges.map(({ isSigned }) => isSigned)).to.deep.equal([
      false,
    ])
    expect((await read({ message }, accepting)).charges.map(({ isSigned }) => isSigned)).to.deep.equal([true])

    // A stranger has sent a charge to the merchant's endpoint.
    const posted = `POST /hook HTTP/1.1\r\nhost: shop\r\n\r\n${JSON.stringify(charge)}`
    expect((await read({ posted, bare: webhook }, accepting)).charges).to.have.length(0)

    const altered = message.replace('"charge.created"', '"charge.expired"')
    const { rejected } = await read({ altered, bare: webhook }, { secrets })
    expect(rejected.map(({ reason }) => reason)).to.have.members([
      'no signature matches this body and secret',
      'the request has no signature',
    ])
  })

  it('accepts a signed body to which an editor has added a line break', async () => {
    const headers = { ...signed(webhook), 'content-length': String(Buffer.byteLength(webhook)) }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
    const { rejected } = await read({ text: `${lines.join('')}\n${webhook}\n` }, { secrets: [SECRET] })
    expect(rejected).to.deep.equal([])
  })

  it('rejects all records of an escrow that name different splits, except the only signed record', async () => {
    const genuine = withEscrow(buildCharge({}))
    const forged = withForgedSplit(genuine)
    const unsigned = { genuine: JSON.stringify(genuine), forged: JSON.stringify(forged) }
    const disputed = await read(unsigned)
    expect(disputed.charges).to.deep.equal([])
    expect(disputed.rejected.map(({ reason }) => reason.slice(0, 34))).to.deep.equal([
      ...['a second record of the same escrow', 'a second record of the same escrow'],
    ])
    const body = toWebhook(genuine)
    const files = { forged: JSON.stringify(forged), told: JSON.stringify({ headers: signed(body), body }) }
    const { charges } = await read(files, { secrets: [SECRET], acceptsUnsigned: true })
    expect(charges.map(({ splitAddress }) => checksum(splitAddress))).to.deep.equal([
      genuine.addressTerms.splitAddress,
    ])
  })

  it('rejects text in an unknown form, and records and files above their size limits', async () => {
    const large = JSON.stringify({ ...charge, metadata: { text: 'x'.repeat(1_000_000) } })
    const { rejected } = await read({ large, text: 'no headers', huge: Buffer.alloc(64 * 1024 * 1024 + 1) })
    const reasons = Object.fromEntries(rejected.map(({ where, reason }) => [where, reason]))
    expect(reasons).to.deep.equal({
      '"large"': `the record has ${large.length} bytes; at most 1000000 are allowed`,
      '"text"': 'it is neither JSON nor an HTTP message with a JSON body',
      '"huge"': 'the file has 67108865 bytes; at most 67108864 are allowed: split it',
    })
  })

  it('reads the intact lines of a log, and names the damaged lines', async () => {
    const other = buildCharge({})
    const cut = webhook.slice(0, 100)
    // The first line of the log is cut, and a request in a later line was interrupted.
    const log = [webhook.slice(50), webhook, cut, '', toWebhook(other), '[1, {}]'].join('\n')
    const archive = await read({ log })
    expect(archive.charges.map(({ id }) => id)).to.have.members([charge.id, other.id])
    expect(archive.rejected.map(({ where }) => where)).to.deep.equal(['"log", line 1', '"log", line 3'])
    expect([archive.rejectedCount, archive.otherCount]).to.deep.equal([2, 2])
  })

  it('reads the valid charges of a page, and names the invalid charge', async () => {
    const page = JSON.stringify({ data: [charge, { ...charge, address: THIEF }] })
    const archive = await read({ page })
    expect(archive.charges.map(({ id }) => id)).to.deep.equal([charge.id])
    expect(archive.rejected.map(({ where }) => where)).to.deep.equal(['"page", record 2'])
  })

  it('reads the other files if one has millions of brackets, nested pages or thousands of bad lines', async () => {
    const brackets = '['.repeat(10_000_000)
    const nested = `${'{"data":['.repeat(40)}${JSON.stringify(charge)}${']}'.repeat(40)}`
    const lines = `${webhook}\n${'{\n'.repeat(2_000)}`
    const archive = await read({ brackets, nested, lines })
    expect(archive.charges.map(({ id }) => id)).to.deep.equal([charge.id])
    expect([archive.rejected.length, archive.rejectedCount]).to.deep.equal([1_000, 2_001])
  })

  it('follows symbolic links to files, and names links to directories or missing files', async () => {
    const directory = await temporaryDirectory('exit-links')
    const outside = await temporaryDirectory('exit-outside')
    writeFileSync(join(outside, 'kept'), webhook)
    symlinkSync(join(outside, 'kept'), join(directory, 'linked'))
    symlinkSync(outside, join(directory, 'circle'))
    symlinkSync(join(outside, 'missing'), join(directory, 'broken'))
    const archive = readArchive(directory, { secrets: [] })
    expect(archive.charges.map(({ id }) => id)).to.deep.equal([charge.id])
    expect(archive.rejected).to.have.deep.members([
      { where: '"broken"', reason: 'it is neither a file nor a directory' },
      { where: '"circle"', reason: 'it is a symbolic link to a directory, which is not followed' },
    ])
  })

  it('throws if the directory does not exist', () => {
    expect(() => readArchive('/nowhere/at/all', { secrets: [] })).to.throw('--archive cannot be read: ENOENT')
  })
})

function toWebhook(charge: CheckedCharge): string {
  return JSON.stringify({ id: 'evt_1', event: 'charge.created', createdAt: '2026-01-01', data: charge })
}

/** Returns the charge with the same Safe, and with consistent terms that pay the forger. */
function withForgedSplit(charge: CheckedCharge): CheckedCharge {
  const { recipients, ...terms } = charge.addressTerms
  const allocations = recipients.map(({ allocation }) => allocation)
  const split = {
    recipients: [
      addressOfByte('ff'),
      ...recipients.slice(1).map(({ address }) => address.toLowerCase() as Address),
    ],
    ...{ allocations, totalAllocation: terms.totalAllocation },
    distributionIncentive: terms.distributionIncentive,
  }
  const place = { factory: SPLIT_FACTORY, implementation: SPLIT_IMPLEMENTATION, split }
  const splitAddress = checksum(predictSplitAddress({ ...place, salt: chargeSalt(charge.id) }))
  const [first, ...others] = recipients
  if (first === undefined) throw new Error('no recipient')
  return withTerms(charge, { recipients: [{ ...first, address: THIEF }, ...others], splitAddress })
}

/** Signs a body with a timestamp in 2020. */
function signed(body: string): Readonly<Record<string, string>> {
  return { ...signAttempt({ id: 'evt_1', body, timestamp: 1_600_000_000 }, [SECRET]) }
}

async function read(
  files: Readonly<Record<string, string | Buffer>>,
  options: { secrets?: readonly string[]; factory?: string; acceptsUnsigned?: boolean } = {},
): Promise<Archive> {
  const directory = await temporaryDirectory('exit-archive')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  return readArchive(directory, { secrets: [], ...options })
}
