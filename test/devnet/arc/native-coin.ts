import {
  createEIP7708TransferLog,
  type EVM,
  EVMError,
  type ExecResult,
  type PrecompileInput,
} from '@ethereumjs/evm'
import { Account, Address as EvmAddress, hexToBytes, setLengthLeft } from '@ethereumjs/util'
import {
  type Address,
  hexToBytes as bytes,
  bytesToHex,
  decodeFunctionData,
  encodeErrorResult,
  type Hex,
  isAddressEqual,
  pad,
  parseAbi,
  zeroAddress,
} from 'viem'

import { NATIVE_COIN_CONTROL } from './addresses.ts'

/** The functions of Arc's two precompiles that this file imitates. */
const AUTHORITY = parseAbi([
  'function mint(address to, uint256 amount) returns (bool)',
  'function burn(address from, uint256 amount) returns (bool)',
  'function transfer(address from, address to, uint256 amount) returns (bool)',
])
const CONTROL = parseAbi([
  'function isBlocklisted(address account) view returns (bool)',
  'function blocklist(address account) returns (bool)',
  'function unBlocklist(address account) returns (bool)',
])
const ERROR = parseAbi(['error Error(string)'])

/** Approximately the cost of a storage write. */
const GAS = 9_000n
const TRUE = setLengthLeft(new Uint8Array([1]), 32)
const FALSE = new Uint8Array(32)

/** NativeCoinAuthority: transfers, mints and burns the native coin, with the same logs as for calls with value. */
export async function nativeCoinAuthority({ data, _EVM }: PrecompileInput): Promise<ExecResult> {
  const evm = _EVM as EVM
  const { functionName, args } = decodeFunctionData({ abi: AUTHORITY, data: bytesToHex(data) })
  const amount = functionName === 'transfer' ? args[2] : args[1]
  const from = functionName === 'mint' ? zeroAddress : args[0]
  const to = functionName === 'mint' ? args[0] : functionName === 'transfer' ? args[1] : zeroAddress
  if (functionName === 'transfer' && isAddressEqual(to, zeroAddress))
    return revert('transfer to the zero address')
  for (const account of [from, to])
    if (await isBlocklisted(evm, account)) return revert('account is blocklisted')
  const source = await accountAt(evm, from)
  if (functionName !== 'mint' && source.balance < amount) return revert('transfer amount exceeds balance')
  if (functionName !== 'mint') await add(evm, { address: from, wei: -amount })
  if (functionName !== 'burn') await add(evm, { address: to, wei: amount })
  const isLogged = amount > 0n && !isAddressEqual(from, to)
  return {
    executionGasUsed: GAS,
    returnValue: TRUE,
    ...(isLogged && { logs: [createEIP7708TransferLog(evmAddress(from), evmAddress(to), amount)] }),
  }
}

/** NativeCoinControl: stores the list of accounts that can neither send nor receive. Here any caller may change it. */
export async function nativeCoinControl({ data, _EVM }: PrecompileInput): Promise<ExecResult> {
  const evm = _EVM as EVM
  const { functionName, args } = decodeFunctionData({ abi: CONTROL, data: bytesToHex(data) })
  const [account] = args
  if (functionName !== 'isBlocklisted') {
    const value = functionName === 'blocklist' ? TRUE : FALSE
    await evm.stateManager.putStorage(evmAddress(NATIVE_COIN_CONTROL), slotOf(account), value)
  }
  const isListed = await isBlocklisted(evm, account)
  return { executionGasUsed: GAS, returnValue: isListed ? TRUE : FALSE }
}

/** Returns whether the account is on the issuer's blocklist. */
export async function isBlocklisted(evm: EVM, account: Address): Promise<boolean> {
  const stored = await evm.stateManager.getStorage(evmAddress(NATIVE_COIN_CONTROL), slotOf(account))
  return stored.some((byte) => byte !== 0)
}

/** Returns the result of a call frame that reverts with a reason. */
export function revert(reason: string): ExecResult {
  const data: Hex = encodeErrorResult({ abi: ERROR, args: [reason] })
  return {
    executionGasUsed: GAS,
    exceptionError: new EVMError(EVMError.errorMessages.REVERT),
    returnValue: hexToBytes(data),
  }
}

async function add(evm: EVM, { address, wei }: { address: Address; wei: bigint }): Promise<void> {
  const account = await accountAt(evm, address)
  account.balance += wei
  await evm.journal.putAccount(evmAddress(address), account)
}

async function accountAt(evm: EVM, address: Address): Promise<Account> {
  return (await evm.stateManager.getAccount(evmAddress(address))) ?? new Account()
}

function evmAddress(address: Address): EvmAddress {
  return new EvmAddress(hexToBytes(address))
}

function slotOf(account: Address): Uint8Array {
  return bytes(pad(account, { size: 32 }))
}
