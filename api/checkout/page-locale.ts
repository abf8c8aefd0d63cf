import type { Context } from 'koa'
import { chooseLanguage } from './languages.ts'
import { findScriptPath, type PageName } from './page-script.ts'
import { createTranslator, type Translator } from './translate.ts'

/** Returns the language texts and the script path for a request's page. */
export function getPageLocale(
  ctx: Context,
  page: PageName,
): { readonly words: Translator; readonly script: string | null } {
  const lang = new URLSearchParams(ctx.querystring).get('lang')
  const words = createTranslator(chooseLanguage({ lang, accept: ctx.get('accept-language') }))
  return { words, script: findScriptPath(page) }
}
