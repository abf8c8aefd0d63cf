import type { Context } from 'koa'
import { chooseLanguage } from './languages.ts'
import { findScriptPath, type PageName } from './page-script.ts'
import { createTranslator, type Translator } from './translate.ts'

/** Returns the texts in the language that the request selects, and the path of the page's script. */
export function getPageLocale(
  ctx: Context,
  page: PageName,
): { readonly words: Translator; readonly script: string | null } {
  const lang = new URLSearchParams(ctx.querystring).get('lang')
  const words = createTranslator(chooseLanguage({ lang, accept: ctx.get('accept-language') }))
  return { words, script: findScriptPath(page) }
}
