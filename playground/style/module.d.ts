// The types of CSS modules. A class name that the file lacks is undefined, which adds no class.
declare module "*.module.css" {
  const names: Readonly<Record<string, string>>;
  export default names;
}
