import { createRequire } from 'node:module'
import {
  type Abi,
  type Address,
  concatHex,
  createWalletClient,
  custom,
  encodeFunctionData,
  type Hex,
  pad,
} from 'viem'
import { type DevnetAccount, toSigner } from '../devnet/accounts.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { requireMined } from '../devnet/require-mined.ts'
import { findToken } from '../devnet/send-tokens.ts'
import { type ChargeJson, createCharge, pay, USDC_ON_BASE, waitForCharge } from './scenario.ts'

/** The fields of an escrow charge that the scenarios read. */
export type EscrowChargeJson = ChargeJson & {
  readonly feePercent: number
  readonly addressTerms: {
    readonly splitAddress: Address
    readonly salt: Hex
    readonly safe: { readonly owner: Address } | null
  }
  readonly escrow: {
    readonly releaserAddress: Address
    readonly releasedAt: string | null
    readonly refundedAt: string | null
  }
}

/** Response of the prepare endpoints. */
export type PreparedJson = {
  readonly destination: Address
  readonly tokenAddress: Address
  readonly amount: string
  readonly chainId: number
  readonly safeAddress: Address
  readonly nonce: string
  readonly typedData: {
    readonly types: Record<string, readonly { readonly name: string; readonly type: string }[]>
    readonly domain: object
    readonly message: Readonly<Record<string, string>>
  }
  readonly safeTxHash: Hex
}

export type EscrowAction = 'release' | 'refund'

/** An API response. `code` is the error code, if any. */
export type Answer<Body> = { readonly status: number; readonly body: Body; readonly code: string | undefined }

const artifact = (path: string): { abi: Abi } =>
  createRequire(import.meta.url)(`@safe-global/safe-contracts/build/artifacts/contracts/${path}.json`) as {
    abi: Abi
  }

/** ABIs of the unmodified Safe contracts. */
const SAFE_ABI = artifact('SafeL2.sol/SafeL2').abi
const PROXY_FACTORY_ABI = artifact('proxies/SafeProxyFactory.sol/SafeProxyFactory').abi

const PROXY_FACTORY: Address = '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67'
const SINGLETON: Address = '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762'
const FALLBACK_HANDLER: Address = '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99'
const ZERO: Address = `0x${'0'.repeat(40)}`

/** Creates a live escrow charge of 10 dollars, with the devnet's releaser. */
export async function createEscrow(
  devnet: Devnet,
  terms: Parameters<typeof createCharge>[1] = {},
): Promise<EscrowChargeJson> {
  const releaserAddress = devnet.description.accounts.releaser.address.toLowerCase()
  const body = { ...terms, escrow: { releaserAddress } }
  return (await createCharge(devnet, body)) as EscrowChargeJson
}

/** Creates an escrow charge, pays it, and waits until the payment is credited. */
export async function payEscrow(devnet: Devnet): Promise<EscrowChargeJson> {
  const charge = await createEscrow(devnet)
  await pay(devnet, { charge })
  return waitForEscrow(devnet, charge.id, CONFIRMED)
}

/** Waits until the API shows the escrow charge in the given state, and returns it. */
export function waitForEscrow(
  devnet: Devnet,
  id: string,
  { what, holds }: { readonly what: string; readonly holds: (charge: EscrowChargeJson) => boolean },
): Promise<EscrowChargeJson> {
  const holdsOf = (charge: ChargeJson) => holds(charge as EscrowChargeJson)
  return waitForCharge(devnet, id, { what, holds: holdsOf }) as Promise<EscrowChargeJson>
}

/** States for which tests wait. */
export const CONFIRMED = {
  what: 'confirmed',
  holds: ({ status }: EscrowChargeJson) => status === 'confirmed',
}
export const SETTLED = {
  what: 'settled',
  holds: ({ settlementStatus }: EscrowChargeJson) => settlementStatus === 'completed',
}
export const REFUNDED = {
  what: 'refunded',
  holds: ({ escrow }: EscrowChargeJson) => escrow.refundedAt !== null,
}

/** Requests the data that the releaser must sign. */
export function prepare(devnet: Devnet, id: string, action: EscrowAction): Promise<Answer<PreparedJson>> {
  return request(devnet, { method: 'GET', path: `/v1/charges/${id}/${action}/prepare` })
}

/** Submits the releaser's signature. */
export function order(
  devnet: Devnet,
  id: string,
  { action, signature }: { readonly action: EscrowAction; readonly signature: string },
): Promise<Answer<EscrowChargeJson>> {
  return request(devnet, { method: 'POST', path: `/v1/charges/${id}/${action}`, body: { signature } })
}

/** Prepares an order, and submits the releaser's signature. */
export async function prepareAndOrder(devnet: Devnet, id: string, action: EscrowAction) {
  const { body: prepared } = await prepare(devnet, id, action)
  const signature = await sign(prepared, devnet.description.accounts.releaser)
  return { prepared, answer: await order(devnet, id, { action, signature }) }
}

/** Signs the typed data of a prepare response unchanged, as any wallet would. */
export function sign(prepared: PreparedJson, account: DevnetAccount): Promise<Hex> {
  return toSigner(account).signTypedData(prepared.typedData as never)
}

/** Creates the Safe of a charge, as anyone who knows its terms can. */
export async function deploySafe(devnet: Devnet, charge: EscrowChargeJson, by: DevnetAccount): Promise<void> {
  const { salt, safe } = charge.addressTerms
  const { client } = findToken(devnet.description, USDC_ON_BASE)
  await write(devnet, by, deploySafeCall({ salt, owner: safe?.owner ?? ZERO }))
  if ((await client.getCode({ address: charge.address })) === undefined)
    throw new Error('no Safe was created')
}

/** Returns the factory call that creates a Safe with this owner. */
export function deploySafeCall({ salt, owner }: { readonly salt: Hex; readonly owner: Address }): Call {
  const initializer = encodeFunctionData({
    abi: SAFE_ABI,
    functionName: 'setup',
    args: [[owner], 1n, ZERO, '0x', FALLBACK_HANDLER, ZERO, 0n, ZERO],
  })
  return {
    address: PROXY_FACTORY,
    abi: PROXY_FACTORY_ABI,
    functionName: 'createProxyWithNonce',
    args: [SINGLETON, initializer, BigInt(salt)],
  }
}

/** Returns the call with which a Safe's owner hands the Safe over to another owner. */
export function swapOwnerCall(safe: Address, { from, to }: { from: Address; to: Address }): Call {
  const data = encodeFunctionData({
    abi: SAFE_ABI,
    functionName: 'swapOwner',
    args: ['0x0000000000000000000000000000000000000001', from, to],
  })
  // An owner that sends the call itself needs no signature: its address and v = 1 suffice.
  const approval = concatHex([pad(from), pad('0x'), '0x01'])
  const args = [safe, 0n, data, 0, 0n, 0n, 0n, ZERO, ZERO, approval]
  return { address: safe, abi: SAFE_ABI, functionName: 'execTransaction', args }
}

/** Releases or refunds an escrow on the chain without an order. The API only prepares the transaction. */
export async function transferDirectly(
  devnet: Devnet,
  charge: EscrowChargeJson,
  action: EscrowAction,
): Promise<Hex> {
  const { releaser } = devnet.description.accounts
  const { body: prepared } = await prepare(devnet, charge.id, action)
  const signature = await sign(prepared, releaser)
  await deploySafe(devnet, charge, releaser)
  const { to, value, data, operation } = prepared.typedData.message
  const args = [to, value, data, operation, 0n, 0n, 0n, ZERO, ZERO, signature]
  return write(devnet, releaser, {
    address: charge.address,
    abi: SAFE_ABI,
    functionName: 'execTransaction',
    args,
  })
}

/** Returns the results of the Safe's view functions, including the hash of the prepared transaction. */
export async function readSafeViews(devnet: Devnet, prepared: PreparedJson) {
  const { client } = findToken(devnet.description, USDC_ON_BASE)
  const view = (functionName: string, args: readonly unknown[] = []) =>
    client.readContract({ address: prepared.safeAddress, abi: SAFE_ABI, functionName, args })
  const { to, value, data, operation } = prepared.typedData.message
  const terms = [to, value, data, operation, 0n, 0n, 0n, ZERO, ZERO, BigInt(prepared.nonce)]
  const [owners, threshold, nonce, version, hash] = await Promise.all([
    view('getOwners'),
    view('getThreshold'),
    view('nonce'),
    view('VERSION'),
    view('getTransactionHash', terms),
  ])
  return { owners, threshold, nonce, version, hash }
}

async function request<Body>(
  { description }: Devnet,
  { method, path, body }: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown },
): Promise<Answer<Body>> {
  const response = await fetch(description.apiUrl + path, {
    method,
    headers: { authorization: `Bearer ${description.keys.live}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(45_000), // the API responds to an order within 30 s
  })
  const json = (await response.json()) as Body & { error?: { code: string } }
  return { status: response.status, body: json, code: json.error?.code }
}

/** A call to a contract. */
export type Call = {
  readonly address: Address
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
}

async function write(devnet: Devnet, account: DevnetAccount, call: Call): Promise<Hex> {
  const { client } = findToken(devnet.description, USDC_ON_BASE)
  const wallet = createWalletClient({
    account: toSigner(account),
    chain: client.chain,
    transport: custom(client),
  })
  const hash = await wallet.writeContract({ ...call, chain: client.chain, account: toSigner(account) })
  await requireMined(client, hash)
  return hash
}
