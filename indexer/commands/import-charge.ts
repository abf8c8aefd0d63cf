import type { ChargeTerms } from '../../shared/db/charges/daemon/charge-terms.ts'
import {
  findImportKey,
  type ImportKey,
  importCharge as insertImported,
} from '../../shared/db/charges/daemon/import-charge.ts'
import { errorCode, type Sql } from '../../shared/db/connect.ts'
import type { ChainFamilyName } from '../../shared/domain/address.ts'
import { presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { newId } from '../../shared/domain/ids.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { pairKey, parsePairKey } from '../../shared/domain/networks.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'
import {
  findText,
  getAddress,
  getList,
  getNumber,
  getText,
  type Json,
  parseTerms,
  readCharge,
  requireKnownFactory,
} from './read-charge-file.ts'

/**
 * Restores a charge that is missing from the database: inserts it from its JSON, for the given key.
 *
 * Takes from the JSON only the values that were fixed at the charge's creation, not its status or sums. Recomputes the
 * salt and the addresses. The factory must be ours, and the first recipient must be the key's payout address or one of
 * the charge's split recipients. The database checks the other recipients, and the daemon reads the payments from the
 * chain.
 *
 * @returns a sentence about the result
 * @throws {CommandError} if the key does not exist, a member of the JSON is missing or invalid, the charge belongs to
 * another merchant or environment, its factory is not ours, or the database rejects the terms
 */
export async function importCharge(
  sql: Sql,
  { file, keyId }: { readonly file: string; readonly keyId: string },
): Promise<string> {
  const json = readCharge(file)
  const terms = parseTerms(json)
  requireKnownFactory(terms)
  const key = await findImportKey(sql, keyId)
  if (key === null)
    throw new CommandError(`there is no key ${JSON.stringify(keyId)}: see npm run keys -- list`)
  requireItsKey(terms, { json, key, keyId })
  const columns = { ...columnsOf(json, terms), api_key_id: keyId, organization_id: key.organizationId }
  const imported = { columns, checkId: newId('req', Date.now()) }
  const outcome = await insertImported(sql, imported).catch((error: unknown) => {
    if (errorCode(error) === REFUSED) throw new CommandError((error as Error).message)
    throw error
  })
  return outcome === 'known'
    ? `${terms.id} already exists and was not changed.`
    : `${terms.id} is restored with its original terms. The daemon now searches for its payments.`
}

/** SQLSTATE `check_violation`, whose message describes the problem with the terms. */
const REFUSED = '23514'

/**
 * Throws if the charge's environment differs from the key's, if the key has no payout address in the charge's family,
 * or if the first recipient is neither that address nor one of the charge's split recipients.
 */
function requireItsKey(
  { id, environment, family, splitTerms }: ChargeTerms,
  { json, key, keyId }: { readonly json: Json; readonly key: ImportKey; readonly keyId: string },
): void {
  if (environment !== key.environment)
    throw new CommandError(
      `${id} belongs to the ${environment} environment, but key ${keyId} belongs to ${key.environment}`,
    )
  const [merchant] = splitTerms.recipients
  const payoutAddress = key.payoutAddresses[family]
  const isRecipient = recipientsOf(json, family).some(({ address }) => address === merchant)
  if (payoutAddress !== undefined && (merchant === payoutAddress || isRecipient)) return
  const [paid, owner] = [merchant, payoutAddress].map((address) =>
    address === undefined ? "not set for the charge's chain family" : presentAddress(address, family),
  )
  throw new CommandError(
    `the first recipient of ${id} is ${paid}, but the payout address of key ${keyId} is ${owner}: use a key of the charge's merchant`,
  )
}

function columnsOf(json: Json, terms: ChargeTerms) {
  const { id, environment, family, address, splitAddress, escrowReleaser, splitTerms } = terms
  return {
    ...{ id, environment, address, family, escrow_releaser: escrowReleaser },
    split_address: splitAddress,
    split_terms: splitTerms,
    split_recipients: recipientsOf(json, family),
    amount_micro: String(microAt(json, 'amountExact')),
    fee_payer: feePayerOf(json),
    fee_percent: String(getNumber(json, 'feePercent')),
    accepted_payments: pairsOf(json, family),
    external_ref: findText(json, 'externalRef'),
    source: findText(json, 'source'),
    redirect_url: findText(json, 'redirectUrl'),
    metadata: json['metadata'] === null ? null : JSON.stringify(json['metadata']),
    created_at: momentAt(json, 'createdAt'),
    expires_at: momentAt(json, 'expiresAt'),
  }
}

function recipientsOf(json: Json, family: ChainFamilyName) {
  return getList(json, 'splitRecipients').map((recipient) => {
    const label = findText(recipient, 'label')
    return {
      address: getAddress(recipient, 'address', family),
      percentText: String(getNumber(recipient, 'percent')),
      ...(label === null ? {} : { label }),
    }
  })
}

function pairsOf(json: Json, family: ChainFamilyName): readonly string[] {
  return getList(json, 'acceptedPayments').map((accepted) => {
    const key = `${getText(accepted, 'token')}/${getText(accepted, 'network')}`
    const pair = parsePairKey(key)
    if (pair === null) throw new CommandError(`acceptedPayments has ${key}, which is not a known pair`)
    if (REGISTRY[pair.network].family !== family)
      throw new CommandError(
        `acceptedPayments has ${key}, but the charge's address is not valid on that network`,
      )
    return pairKey(pair)
  })
}

function feePayerOf(json: Json): string {
  const feePayer = getText(json, 'feePayer')
  if (feePayer === 'merchant' || feePayer === 'payer') return feePayer
  throw new CommandError(`feePayer is ${JSON.stringify(feePayer)}: must be merchant or payer`)
}

/** Parses an amount in dollars with at most six decimals. */
function microAt(json: Json, key: string): bigint {
  const text = getText(json, key)
  const [, whole = '', fraction = ''] = /^(\d{1,18})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  if (whole === '')
    throw new CommandError(
      `${key} is ${JSON.stringify(text)}: must be an amount in dollars with at most 6 decimals`,
    )
  return BigInt(whole + fraction.padEnd(6, '0'))
}

function momentAt(json: Json, key: string): string {
  const text = getText(json, key)
  if (Number.isNaN(Date.parse(text)))
    throw new CommandError(`${key} is ${JSON.stringify(text)}: must be a date and time`)
  return new Date(text).toISOString()
}
