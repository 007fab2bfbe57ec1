// Styles of one file each; a name that is not in it is undefined, which draws nothing.
declare module "*.module.css" {
  const names: Readonly<Record<string, string>>;
  export default names;
}
