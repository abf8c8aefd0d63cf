import { type Address, createWalletClient, custom, erc20Abi, type Hex, parseUnits } from 'viem'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import type { Network, Token } from '../../shared/domain/networks.ts'
import { type DevnetAccount, toSigner } from './accounts.ts'
import { requireMined } from './require-mined.ts'
import type { DevnetDescription } from './write-description.ts'

/** A token on one of the devnet's live chains. */
export type LivePair = { readonly token: Token; readonly network: Network }

/** Sends an ERC-20 transfer, and returns its hash when it is mined. */
export async function sendTokens(
  devnet: DevnetDescription,
  transfer: LivePair & { readonly from: DevnetAccount; readonly to: Address; readonly amount: string },
): Promise<Hex> {
  const { client, token } = findToken(devnet, transfer)
  const wallet = createWalletClient({
    account: toSigner(transfer.from),
    chain: client.chain,
    transport: custom(client),
  })
  const hash = await wallet.writeContract({
    address: token.address,
    abi: erc20Abi,
    functionName: 'transfer',
    args: [transfer.to, parseUnits(transfer.amount, token.decimals)],
  })
  await requireMined(client, hash)
  return hash
}

/**
 * Sends native coins, with 18 decimals, on a network whose native coin is the token. Returns the hash when the transfer
 * is mined.
 */
export async function sendNative(
  devnet: DevnetDescription,
  transfer: LivePair & { readonly from: DevnetAccount; readonly to: Address; readonly amount: string },
): Promise<Hex> {
  const { client } = findToken(devnet, transfer)
  const account = toSigner(transfer.from)
  const wallet = createWalletClient({ account, chain: client.chain, transport: custom(client) })
  const hash = await wallet.sendTransaction({ to: transfer.to, value: parseUnits(transfer.amount, 18) })
  await requireMined(client, hash)
  return hash
}

/** Returns an account's balance of a token, in atomic units. */
export async function balanceOf(
  devnet: DevnetDescription,
  { account, ...pair }: LivePair & { readonly account: Address },
): Promise<bigint> {
  const { client, token } = findToken(devnet, pair)
  return client.readContract({
    address: token.address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [account],
  })
}

/**
 * Returns a live token of the devnet and a client of its chain.
 *
 * @throws {Error} if the devnet has no such token, or if the network is TRON, whose nodes accept no Ethereum
 * transactions
 */
export function findToken(devnet: DevnetDescription, pair: LivePair) {
  const deployment = pair.network === 'tron' ? undefined : devnet.networks[pair.network]?.live
  const token = deployment?.tokens[pair.token]
  if (!deployment || !token) throw new Error(`the devnet has no live ${pair.token} on ${pair.network}`)
  const client = createChainClient({ chainId: deployment.chainId, rpcUrls: [deployment.rpcUrl] })
  return { client, token }
}
