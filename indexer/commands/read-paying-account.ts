import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { readPrivateKey } from '../../shared/runtime/command-config.ts'

/** The variable with the key that pays for transactions, unless the operator names another one. */
export const DEFAULT_KEY_SETTING = 'DEPLOYER_PRIVATE_KEY'

/**
 * Reads the account that pays for transactions.
 *
 * @param setting - the variable that the operator named, if any
 */
export function readPayingAccount(setting: string | undefined): PrivateKeyAccount {
  return privateKeyToAccount(readPrivateKey(setting ?? DEFAULT_KEY_SETTING))
}
